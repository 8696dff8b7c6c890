import type { FastifyReply, FastifyRequest } from 'fastify';
import { ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import type { Generation } from '../../service/models/generation.js';
import { ApiError } from '../errors/api-error.js';
import { placeError } from '../errors/place-errors.js';
import { QUEUE_FULL } from '../errors/work-errors.js';
import type { Checked } from '../request/check-request.js';
import type { Services } from '../services.js';
import { answerRows } from './answer-rows.js';

/**
 * Answers a request for one site.
 * @param check checks the body and writes it into row 0 of the rows it is given
 */
export async function answerSite(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  check: (generation: Generation, body: unknown, rows: SiteRows) => Checked,
): Promise<FastifyReply> {
  const generation = services.generations.current;
  const rows = new SiteRows(1);
  const { error } = check(generation, request.body, rows);
  request.state.sites = 1;
  if (error !== undefined) {
    services.metrics.sites.inc({ outcome: error.code });
    throw new ApiError(error);
  }
  const { status, json } = generation.singleSites.isQuick
    ? await answerHere(services, generation, request, rows)
    : await answerInWorker(services, generation, request, reply, rows);
  if (status !== ROW_STATUS.answered) {
    const problem = placeError(status, rows.latitude[0], rows.longitude[0], generation, services.config);
    services.metrics.sites.inc({ outcome: problem.code });
    throw new ApiError(problem);
  }
  services.metrics.sites.inc({ outcome: 'answered' });
  return reply.type('application/json; charset=utf-8').send(json.subarray(0, -1)); // without the comma
}

interface Answer {
  readonly status: number;
  readonly json: Buffer;
}

async function answerHere(
  { clock }: Services,
  { singleSites }: Generation,
  request: FastifyRequest,
  rows: SiteRows,
): Promise<Answer> {
  rows.generatedAtMs[0] = clock.nowMs();
  const answer = await singleSites.answer(request.state.caller!.id, rows);
  if (answer === 'turned-away') throw QUEUE_FULL;
  const { status, json, ...times } = answer;
  request.state.times = times;
  return { status, json };
}

async function answerInWorker(
  services: Services,
  generation: Generation,
  request: FastifyRequest,
  reply: FastifyReply,
  rows: SiteRows,
): Promise<Answer> {
  const [slice] = await answerRows(services, generation, request, reply, rows);
  // An answer is far too small to have come from the buffer pool's large ones: it need not go back.
  return { status: slice!.status[0], json: slice!.json };
}
