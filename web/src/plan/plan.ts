import { NurselogError } from '@nurselog/client/nurselog-error';
import { batchSize } from '../api/batch-size.js';
import { callJson } from '../api/service.js';
import type { FailedUnit, Horizon, Method, Plan, PlannedUnit, ServedModel } from '../api/types.js';
import type { Unit } from '../state/units.js';

interface PlanQuestion {
  /** The models that must answer all units. */
  readonly model: Pick<ServedModel, 'version' | 'digest'> | undefined;
  readonly horizon: Horizon;
  readonly nativeOnly: boolean;
  /** undefined for all species. */
  readonly speciesCodes: readonly string[] | undefined;
  /** The costs of both methods; undefined without costs. */
  readonly costs: Readonly<Record<Method, number>> | undefined;
  readonly scenario?: object;
  readonly conditions?: object;
}

/** Most units of a request; a request that is still too large is divided. */
const MAX_UNITS = 100;
/** Codes of refusals that may concern a single unit, or the size of the request. */
const REFUSALS = ['batch_too_large', 'payload_too_large', 'invalid_request'] as const;

type Answer = PlannedUnit | FailedUnit;

/** The last answer for a geometry and the question it answers, so that an edit asks for the edited unit alone. */
type Kept = WeakMap<Unit['geometry'], { readonly asked: string; readonly answer: Answer }>;

const keptOfToday: Kept = new WeakMap();
const keptOfOtherClimates: Kept = new WeakMap();

/** The answers to units. */
interface PlanAnswer {
  /** In the order of the units; those that were not answered are missing. */
  readonly units: readonly Answer[];
  /** Why units were not answered; null where all were. */
  readonly error: Error | null;
}

/**
 * Plans units in several requests. A refused unit has an error in its place; any other failure, such as a used-up
 * quota or an answer of other models, ends the plan with the answers so far.
 * @throws the reason of the signal
 */
async function planUnits(
  units: readonly Unit[],
  question: PlanQuestion,
  signal: AbortSignal,
): Promise<PlanAnswer> {
  const asked = JSON.stringify(question);
  const kept = question.scenario === undefined ? keptOfToday : keptOfOtherClimates;
  const answers = new Map<string, Answer>();
  for (const unit of units) {
    const known = kept.get(unit.geometry);
    if (known?.asked === asked) answers.set(unit.id, { ...known.answer, id: unit.id });
  }
  const missing = units.filter(({ id }) => !answers.has(id));
  const size = Math.min(MAX_UNITS, batchSize());
  const parts: (readonly Unit[])[] = [];
  for (let start = 0; start < missing.length; start += size) parts.push(missing.slice(start, start + size));
  let error: Error | null = null;
  for (let part = parts.shift(); part !== undefined && error === null; part = parts.shift()) {
    const planned = await planPart(part, question, signal);
    if (planned === null) {
      const middle = Math.ceil(part.length / 2);
      parts.unshift(part.slice(0, middle), part.slice(middle));
    } else if (planned instanceof Error) error = planned;
    else
      for (const [index, answer] of planned.entries()) {
        const unit = part[index];
        kept.set(unit.geometry, { asked, answer });
        answers.set(unit.id, answer);
      }
  }
  return { units: units.map(({ id }) => answers.get(id)).filter((each) => each !== undefined), error };
}

/** A plan with the answers for today's climate. */
interface ComparedPlan extends PlanAnswer {
  /** Without costs; empty where today's climate is not compared. */
  readonly today: readonly Answer[];
}

/**
 * Plans units as {@link planUnits} does, in today's climate as well where that is to be compared.
 * @throws the reason of the signal
 */
export async function planAndCompare(
  units: readonly Unit[],
  question: PlanQuestion,
  comparesToday: boolean,
  signal: AbortSignal,
): Promise<ComparedPlan> {
  const { scenario: _, ...practice } = question;
  const [plan, today] = await Promise.all([
    planUnits(units, question, signal),
    comparesToday ? planUnits(units, { ...practice, costs: undefined }, signal) : null,
  ]);
  return { ...plan, error: plan.error ?? today?.error ?? null, today: today?.units ?? [] };
}

/** Plans units in one request. @returns null if the request must be divided */
async function planPart(
  units: readonly Unit[],
  question: PlanQuestion,
  signal: AbortSignal,
): Promise<readonly Answer[] | Error | null> {
  const { model, horizon, nativeOnly, speciesCodes, costs, scenario, conditions } = question;
  const body = {
    units: {
      type: 'FeatureCollection',
      features: units.map(({ id, geometry }) => ({ type: 'Feature', id, properties: {}, geometry })),
    },
    horizon,
    native_only: nativeOnly,
    species_codes: speciesCodes,
    costs,
    scenario,
    conditions,
  };
  try {
    const plan = await callJson<Plan>('/v1/plan', { body, signal });
    if (plan.model.version === model?.version) return plan.units;
    return new Error('The models have changed: all units are planned again.');
  } catch (error) {
    if (!(error instanceof NurselogError)) throw error;
    const code = REFUSALS.find((each) => each === error.code);
    if (code === undefined || concernsOptions(error)) return error;
    const [only, ...others] = units;
    if (only === undefined || others.length > 0) return null;
    return [{ id: only.id, error: { code, message: error.message } }];
  }
}

/** Whether a refusal concerns a field other than the units, so that smaller requests would be refused, too. */
function concernsOptions({ details }: NurselogError): boolean {
  const issues = (details?.issues ?? []) as readonly { readonly path: string }[];
  return issues.some(({ path }) => path !== '' && !path.startsWith('units'));
}
