import type { FastifyInstance } from 'fastify';
import { TIERS, type Tier } from '../../accounts/tiers.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { answerRows } from '../answer-rows.js';
import { type FailedElement, joinBatchBody } from '../batch-body.js';
import { invalidRequest, type RequestChecker } from '../check-request.js';
import { ApiError, type ErrorObject } from '../errors.js';
import { placeError } from '../place-errors.js';
import { batchRequestSchema } from '../requests.js';
import type { Services } from '../services.js';

/** POST /v1/predict/batch: up to the tier's batch size of predictions. */
export function batchRoute(app: FastifyInstance, services: Services, checker: RequestChecker): void {
  app.post('/v1/predict/batch', async (request, reply) => {
    const entries = entriesOf(request.body, request.state.caller!.tier);
    request.state.sites = entries.length;

    const rows = new SiteRows(entries.length);
    const failed = new Map<number, FailedElement>();
    const count = (error: ErrorObject) => services.metrics.sites.inc({ outcome: error.code });
    const generatedAtMs = services.clock.nowMs();
    let rowCount = 0;
    entries.forEach((entry, index) => {
      const { error } = checker.checkPrediction(entry, rows, rowCount, generatedAtMs);
      if (error === undefined) {
        rowCount++;
      } else {
        count(error);
        failed.set(index, failedElement(error, entry));
      }
    });

    const fitting = rows.first(rowCount);
    const slices = rowCount === 0 ? [] : await answerRows(services, request, reply, fitting);
    const { body, failedCount } = joinBatchBody(entries.length, slices, failed, (row, status) => {
      const [latitude, longitude] = [fitting.latitude[row]!, fitting.longitude[row]!];
      const error = placeError(status, latitude, longitude, services);
      count(error);
      return failedElement(error, { latitude, longitude });
    });
    services.metrics.sites.inc({ outcome: 'answered' }, entries.length - failedCount);
    return reply.type('application/json; charset=utf-8').send(body);
  });
}

/** @throws ApiError where the body has not the shape of a batch or more entries than the tier allows */
function entriesOf(body: unknown, tier: Tier): unknown[] {
  const parsed = batchRequestSchema.safeParse(body);
  if (!parsed.success) throw new ApiError(invalidRequest(body, parsed.error));
  const submitted = parsed.data.requests.length;
  const limit = TIERS[tier].sitesPerBatch;
  if (submitted > limit) {
    throw new ApiError({
      code: 'batch_too_large',
      message: `The batch has ${submitted} entries; the ${tier} tier allows ${limit}.`,
      details: { submitted, tier_limit: limit, tier },
    });
  }
  return parsed.data.requests;
}

/** The element of an entry that failed; a coordinate that was not a number is null in it. */
function failedElement(error: ErrorObject, entry: unknown): FailedElement {
  const { latitude, longitude } = Object(entry) as { latitude?: unknown; longitude?: unknown };
  const coordinate = (value: unknown) => (typeof value === 'number' ? value : null); // Infinity is null in JSON
  return JSON.stringify({ error, latitude: coordinate(latitude), longitude: coordinate(longitude) });
}
