import type { FastifyInstance } from 'fastify';
import type { Tier } from '../../accounts/tiers.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { answerRows } from '../answer-rows.js';
import { type Batch, checkBatch, checkBatchSize } from '../batch.js';
import { joinBatchBody } from '../batch-body.js';
import { BatchScanner } from '../batch-scanner.js';
import type { RequestChecker } from '../check-request.js';
import { parseBodiesWith, parseJson } from '../json-body.js';
import { placeError } from '../place-errors.js';
import type { Services } from '../services.js';

/** POST /v1/predict/batch: up to the tier's batch size of predictions. */
export function batchRoute(app: FastifyInstance, services: Services, checker: RequestChecker): void {
  const scanner = new BatchScanner(checker.species);
  parseBodiesWith(app, (body) => scanner.scan(body) ?? parseJson(body));

  app.post('/v1/predict/batch', async (request, reply) => {
    const batch = batchOf(request.body, request.state.caller!.tier, checker);
    const { rows } = batch;
    request.state.sites = batch.total;
    const slices = rows.count === 0 ? [] : await answerRows(services, request, reply, rows);
    const failureOf = (row: number, status: number) => {
      const [latitude, longitude] = [rows.latitude[row]!, rows.longitude[row]!];
      return { error: placeError(status, latitude, longitude, services), latitude, longitude };
    };
    const { body, outcomes } = joinBatchBody(batch, slices, failureOf, services.buffers);
    reply.raw.once('close', () => {
      // After a connection broke, the system may still read what was to be sent.
      if (reply.raw.writableFinished) services.buffers.release(body);
    });
    for (const [outcome, count] of outcomes) services.metrics.sites.inc({ outcome }, count);
    return reply.type('application/json; charset=utf-8').send(body);
  });
}

/** @throws ApiError where the body is no batch or has more entries than the tier allows */
function batchOf(body: unknown, tier: Tier, checker: RequestChecker): Batch {
  if (!(body instanceof SiteRows)) return checkBatch(body, tier, checker);
  checkBatchSize(body.count, tier);
  return { total: body.count, rows: body, failed: new Map() };
}
