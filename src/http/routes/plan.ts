import type { FastifyInstance } from 'fastify';
import { bodyLimitOf, TIERS } from '../../accounts/tiers.js';
import { planSlices, ROW_NUMBERS, unitSlices } from '../../formats/plan/plan-answer.js';
import { MAX_PREDICTIONS, type Plan } from '../../formats/plan/plan-reader.js';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { HORIZONS } from '../../prediction/dimensions.js';
import { MAX_UNIT_POINTS } from '../../prediction/units/unit-points.js';
import { MemoryBudget } from '../../work/admission.js';
import { RequestSteps } from '../../work/request-steps.js';
import { CLOSED_WHILE_WAITING, QUEUE_FULL } from '../errors.js';
import type { Endpoint } from '../openapi/endpoint.js';
import { takeMemory, takeMemoryFor } from '../request-memory.js';
import { JSON_TYPE } from '../response/headers.js';
import { planResponseSchema } from '../response/schemas.js';
import { callerOf } from '../server/request-state.js';
import { beforeFirstByte } from './answer-from-workers.js';
import type { RouteContext } from './context.js';

export const planEndpoint: Endpoint = {
  path: '/v1/plan',
  id: 'plan',
  summary: 'Compare species and planting methods for planting units',
  description:
    'A plan may have as many units as a batch may have entries. The survival of an option and the ends of ' +
    `its interval are means over the data points inside the unit, at most ${MAX_UNIT_POINTS}. A failed ` +
    `unit has an \`error\`; the status is still 200. A plan may need at most ${MAX_PREDICTIONS} ` +
    'predictions: one per data point, species and planting method.',
  request: ({ plan }) => plan,
  response: planResponseSchema,
  errors: ['batch_too_large', 'invalid_species', 'invalid_method', 'overloaded'],
};

/** Rows or units of a step; between steps, other keys have their turns. */
const STEP_ROWS = 500;
const STEP_UNITS = 25;

/** All bodies of plans together take at most the memory of this many of the largest size. */
const MAX_LARGEST_BODIES = 16;

/** POST /v1/plan: planting units by species, method and cost. */
export function planRoute(
  app: FastifyInstance,
  { serving, submitter, nowMs, config, metrics, memory }: RouteContext,
): void {
  const { bodyLimitBytes, planLimitBytes } = config;
  const budget = new MemoryBudget(MAX_LARGEST_BODIES * planLimitBytes);
  app.addHook('preParsing', async (request, reply) => {
    const limitBytes = bodyLimitOf(callerOf(request).tier, planLimitBytes, bodyLimitBytes);
    request.state.bodyLimitBytes = limitBytes;
    const bytes = Math.min(Number(request.headers['content-length'] ?? limitBytes), limitBytes);
    submitter.checkConcurrency(reply);
    takeMemory(budget, bytes, reply);
  });
  app.post<{ Body: Buffer }>(planEndpoint.path, async (request, reply) => {
    const generation = serving.current;
    const { data, batches } = generation;
    const { id, tier } = callerOf(request);
    if (batches.wouldReject(id)) throw QUEUE_FULL;
    const limit = { tier, max: TIERS[tier].sitesPerBatch };
    const deadlineMs = submitter.deadlineOf(reply);
    const steps = new RequestSteps(id, batches);
    if (reply.raw.closed) throw CLOSED_WHILE_WAITING;
    reply.raw.once('close', () => steps.cancel());
    const answerUnits = async () => {
      const body = new Uint8Array(request.body); // its bytes alone: a message copies all memory behind a view
      let plan: Plan | undefined;
      do {
        plan = await steps.do<'read-plan'>({ kind: 'read-plan', body, limit, before: plan }, deadlineMs);
      } while (!plan.isRead);
      request.state.sites = plan.units.length;
      const numbers = new Uint16Array(plan.rowCount * ROW_NUMBERS);
      await steps.doEach(planSlices(plan, STEP_ROWS), async (slice) => {
        const predicted = await steps.do({ kind: 'predict-slice', ...slice }, deadlineMs);
        numbers.set(predicted.numbers, slice.from * ROW_NUMBERS);
      });
      const elements: string[] = [];
      await steps.doEach(unitSlices(plan, numbers, STEP_UNITS), async (slice) => {
        elements[slice.position] = (await steps.do({ kind: 'write-units', ...slice }, deadlineMs)).json;
      });
      return { plan, elements };
    };
    const { plan, elements } = await beforeFirstByte(reply, steps, () =>
      submitter.runLimited(reply, generation, answerUnits),
    );

    const end = {
      horizon_years: HORIZONS[plan.terms.horizon],
      model: modelOf(data.manifest),
      generated_at: new Date(nowMs()).toISOString(),
    };
    const answered = Buffer.from(`{"units":[${elements.join()}],${JSON.stringify(end).slice(1)}`);
    takeMemoryFor(memory, answered, reply);
    for (const { error } of plan.units) metrics.sites.inc({ outcome: error?.code ?? 'answered' });
    return reply.type(JSON_TYPE).header('model-outcomes', data.manifest.outcomes).send(answered);
  });
}
