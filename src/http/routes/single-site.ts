import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../../observability/metrics.js';
import { ApiError, type ErrorObject } from '../errors/api-error.js';
import { placeError } from '../request/request-errors.js';
import { requestReaderOf } from '../request/request-reader.js';
import { JSON_TYPE } from '../response/headers.js';
import type { Serving } from '../serving/serving.js';
import type { RowSubmitter } from './row-submitter.js';

/** Answers predictions and comparisons. */
export class SingleSiteHandler {
  constructor(
    private readonly serving: Serving,
    private readonly submitter: RowSubmitter,
    private readonly metrics: Metrics,
  ) {}

  async answer(
    request: FastifyRequest<{ Body: Buffer }>,
    reply: FastifyReply,
    kind: 'prediction' | 'comparison',
  ): Promise<FastifyReply> {
    const generation = this.serving.current;
    const reading = requestReaderOf(generation).readSite(request.body, kind);
    request.state.sites = 1;
    if (reading.error !== undefined) throw this.#failure(reading.error);
    const { rows } = reading;
    const answers = await this.submitter.submit(request, reply, generation.singleSites, rows);
    for (const [row, status] of answers.unanswered()) {
      throw this.#failure(placeError(status, rows, row, generation));
    }
    this.metrics.sites.inc({ outcome: 'answered' });
    return reply
      .type(JSON_TYPE)
      .header('model-outcomes', generation.artefacts.manifest.outcomes)
      .send(answers.single());
  }

  #failure(error: ErrorObject): ApiError {
    this.metrics.sites.inc({ outcome: error.code });
    return new ApiError(error);
  }
}
