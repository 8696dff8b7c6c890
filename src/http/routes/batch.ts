import type { FastifyInstance } from 'fastify';
import { TIERS } from '../../accounts/tiers.js';
import { placeError } from '../../formats/request/request-errors.js';
import { requestReaderOf } from '../../formats/request/request-reader.js';
import { JobAnswers } from '../../work/job-answers.js';
import { QUEUE_FULL } from '../errors.js';
import { countArriving, endArrival } from '../hooks/overload.js';
import type { Endpoint } from '../openapi/endpoint.js';
import { takeMemoryFor } from '../request-memory.js';
import { JSON_TYPE } from '../response/headers.js';
import { batchResponseSchema } from '../response/schemas.js';
import { callerOf } from '../server/request-state.js';
import type { RouteContext } from './context.js';

const batchSizes = Object.entries(TIERS)
  .map(([tier, { sitesPerBatch }]) => `${tier} ${sitesPerBatch}`)
  .join(', ');

export const batchEndpoint: Endpoint = {
  path: '/v1/predict/batch',
  id: 'predictBatch',
  summary: 'Predict survival for many sites',
  description:
    `Maximum number of entries by tier: ${batchSizes}. A failed entry has an \`error\` at its position in ` +
    '`results`; the status is still 200.',
  request: ({ batch }) => batch,
  response: batchResponseSchema,
  errors: ['batch_too_large', 'overloaded'],
};

/** POST /v1/predict/batch: up to the tier's batch size of predictions. */
export function batchRoute(app: FastifyInstance, context: RouteContext): void {
  const { serving, submitter, metrics, memory } = context;
  const onRequest = countArriving(context);
  app.post<{ Body: Buffer }>(batchEndpoint.path, { onRequest }, async (request, reply) => {
    endArrival(context, request);
    const generation = serving.current;
    const { id, tier } = callerOf(request);
    // Others may have arrived since the first look at the queue, and parsing a body is most of what is left to do.
    if (generation.batches.wouldReject(id)) throw QUEUE_FULL;
    const limit = { tier, max: TIERS[tier].sitesPerBatch };
    const batch = requestReaderOf(generation.data).readBatch(request.body, limit);
    const { rows } = batch;
    request.state.sites = batch.total;
    const answers =
      rows.count === 0 ? new JobAnswers() : await submitter.submit(reply, generation.batches, rows, true);

    const failures = new Map(batch.failed);
    for (const [row, status] of answers.unanswered()) {
      const error = placeError(status, rows, row, generation.data);
      failures.set(batch.entries[row], {
        error,
        latitude: rows.latitude[row],
        longitude: rows.longitude[row],
      });
    }
    const failed = failures.size;
    const successful = batch.total - failed;
    const close = `],"summary":${JSON.stringify({ total: batch.total, successful, failed })}}`;
    const elements = new Map([...failures].map(([entry, failure]) => [entry, JSON.stringify(failure)]));
    const body = answers.join('{"results":[', elements, close);
    takeMemoryFor(memory, body, reply);
    for (const { error } of failures.values()) metrics.sites.inc({ outcome: error.code });
    if (successful > 0) metrics.sites.inc({ outcome: 'answered' }, successful);

    return reply.type(JSON_TYPE).header('model-outcomes', generation.data.manifest.outcomes).send(body);
  });
}
