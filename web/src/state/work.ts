import { batch, computed } from '@preact/signals';
import * as z from 'zod/mini';
import { HORIZONS, METHODS } from '../api/types.js';
import { choicesText, isSpeciesCode, readChoices } from './choices.js';
import {
  DEFAULT_SETTINGS,
  MAX_COST,
  MAX_RESERVE_PERCENT,
  MAX_TARGET_PER_HA,
  RANKINGS,
  SORT_KEYS,
  settings,
} from './plan-settings.js';
import { pointTable, scoredPoints, takePoints } from './points.js';
import { drawing, replaceUnits, type Unit, units } from './units.js';

// Without compiled checks: the content security policy forbids them.
z.config({ ...z.locales.en(), jitless: true });

/** Increased when a project of the version before cannot be read any more. */
export const WORK_VERSION = 1;

const text = (length: number) => z.string().check(z.maxLength(length));
const cost = z.nullable(z.number().check(z.positive(), z.lte(MAX_COST)));
const method = z.enum(METHODS);
const codes = z.array(z.string().check(z.refine(isSpeciesCode))).check(z.maxLength(100));

const OUTCOMES = ['observed', 'calibrated', 'simulated'] as const;

/** Texts may have any length, as in any file: what was kept or saved must be readable again. */
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const row = z.record(z.string(), z.string());

const settingsSchema = z.object({
  costs: z.object({ manual: cost, drone_seeded: cost }),
  species: z.union([z.literal('all'), z.literal('chosen'), codes]),
  nativeOnly: z.boolean(),
  rankBy: z.enum(RANKINGS),
  targetPerHa: z.nullable(z.number().check(z.positive(), z.lte(MAX_TARGET_PER_HA))),
  targetColumn: z.nullable(z.string()),
  targetUnit: z.nullable(z.enum(['acre', 'hectare'])),
  basis: z.enum(['mean', 'low']),
  reservePercent: z.number().check(z.gte(0), z.lte(MAX_RESERVE_PERCENT)),
  threshold: z.number().check(z.gte(0), z.lte(1)),
  comparesToday: z.boolean(),
  onlyBest: z.boolean(),
  filter: z.string(),
  sort: z.object({
    by: z.enum(SORT_KEYS),
    isReversed: z.boolean(),
  }),
});

const question = z.object({
  species: z.nullable(text(20)),
  method: z.nullable(method),
  horizon: z.literal(HORIZONS),
  assumed: z.record(z.string(), z.number()),
  date: z.optional(z.string()),
  model: z.optional(
    z.object({ version: z.string(), digest: z.string(), outcomes: z.enum(OUTCOMES), caution: z.string() }),
  ),
});

/** Corners may be anything, as in any file of units: the service says what is wrong with them. */
const geometry = z.object({
  type: z.enum(['Polygon', 'MultiPolygon']),
  coordinates: z.array(z.unknown()),
});

const workSchema = z
  .object({
    version: z.literal(WORK_VERSION),
    /** The choices as in an address. */
    choices: text(10_000),
    settings: z.partial(settingsSchema),
    units: z.array(z.object({ name: z.string(), attributes: z.record(z.string(), cell), geometry })),
    points: z.nullable(z.object({ columns: z.array(z.string()), rows: z.array(row) })),
    scored: z.nullable(z.object({ columns: z.array(z.string()), rows: z.array(row), question })),
  })
  .check(
    z.refine(({ points, scored }) => (scored?.rows.length ?? 0) <= (points?.rows.length ?? 0), {
      path: ['scored', 'rows'],
      error: 'Too many: expected at most one for each point',
    }),
  );

/** Everything that a planner has entered: kept in the browser, and saved as a project. */
export type Work = z.infer<typeof workSchema>;

export const EMPTY_WORK: Work = {
  version: WORK_VERSION,
  choices: '',
  settings: DEFAULT_SETTINGS as Work['settings'],
  units: [],
  points: null,
  scored: null,
};

/** @returns the work, or what is wrong with the first wrong value and where */
export function readWork(value: unknown): Work | string {
  const { data, error } = workSchema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`;
}

/** The work as it is now. Its parts are the same objects until they change. */
export const work = computed(
  (): Work => ({
    version: WORK_VERSION,
    choices: choicesText(),
    settings: settings.value as Work['settings'],
    units: units.value as unknown as Work['units'],
    points: pointTable.value as Work['points'],
    scored: scoredPoints.value as Work['scored'],
  }),
);

/** Replaces all work. @param takesChoices whether to replace the choices, such as species, year and climate, too */
export function takeWork(
  { choices, settings: more, units: others, points, scored }: Work,
  takesChoices: boolean,
): void {
  batch(() => {
    if (takesChoices) readChoices(choices);
    settings.value = { ...DEFAULT_SETTINGS, ...(more as Partial<typeof DEFAULT_SETTINGS>) };
    replaceUnits(others as unknown as Omit<Unit, 'id'>[]);
    takePoints(points);
    drawing.value = null;
    scoredPoints.value = scored;
  });
}
