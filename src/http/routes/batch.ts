import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Tier } from '../../accounts/tiers.js';
import type { Generation } from '../../service/models/generation.js';
import { placeError } from '../errors/place-errors.js';
import { compressAnswer } from '../hooks/compression.js';
import { perGeneration } from '../per-generation.js';
import { type Batch, checkBatch, checkBatchSize } from '../request/batch.js';
import { BatchScanner } from '../request/batch-scanner.js';
import { checkerOf, type RequestChecker } from '../request/check-request.js';
import { parseBodiesWith, parseJson } from '../request/json-body.js';
import { joinBatchBody } from '../response/batch-body.js';
import type { Services } from '../services.js';
import { answerRows } from './answer-rows.js';
import { inTurn } from './batch-turn.js';

const scannerOf = perGeneration((generation) => new BatchScanner(checkerOf(generation).species));

/** POST /v1/predict/batch: up to the tier's batch size of predictions. */
export function batchRoute(app: FastifyInstance, services: Services): void {
  // The bytes are read when it is the batch's turn.
  parseBodiesWith(app, (bytes) => bytes);

  app.post<{ Body: Buffer }>('/v1/predict/batch', async (request, reply) => {
    const body = await inTurn(services, request, reply, async () => {
      const generation = services.generations.current;
      const [scanner, checker] = [scannerOf(generation), checkerOf(generation)];
      const batch = readBatch(scanner, checker, request.body, request.state.caller!.tier);
      request.state.sites = batch.total;
      const answer = await answerBatch(services, generation, request, reply, batch);
      // While it is the batch's turn, so that answers that wait for it are as few as turns.
      const compressed = await compressAnswer(request, reply, answer);
      if (compressed !== answer) services.buffers.release(answer);
      return compressed;
    });
    reply.raw.once('close', () => {
      // After a connection broke, the system may still read what was to be sent.
      if (reply.raw.writableFinished) services.buffers.release(body);
    });
    return reply.type('application/json; charset=utf-8').send(body);
  });
}

/** @throws ApiError where the body is no batch or has more entries than the tier allows */
function readBatch(scanner: BatchScanner, checker: RequestChecker, bytes: Buffer, tier: Tier): Batch {
  const rows = scanner.scan(bytes);
  if (rows === undefined) return checkBatch(parseJson(bytes), tier, checker);
  checkBatchSize(rows.count, tier);
  return { total: rows.count, rows, failed: new Map() };
}

/** The body of the answer to a batch. */
async function answerBatch(
  services: Services,
  generation: Generation,
  request: FastifyRequest,
  reply: FastifyReply,
  batch: Batch,
): Promise<Buffer> {
  const { rows } = batch;
  const slices = rows.count === 0 ? [] : await answerRows(services, generation, request, reply, rows);
  const failureOf = (row: number, status: number) => {
    const [latitude, longitude] = [rows.latitude[row], rows.longitude[row]];
    return {
      error: placeError(status, latitude, longitude, generation, services.config),
      latitude,
      longitude,
    };
  };
  const { body, outcomes } = joinBatchBody(batch, slices, failureOf, services.buffers);
  for (const [outcome, count] of outcomes) services.metrics.sites.inc({ outcome }, count);
  return body;
}
