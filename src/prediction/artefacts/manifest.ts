import { z } from 'zod';
import { HORIZONS, PLANTING_METHODS, RISK_FACTOR_COUNT } from '../dimensions.js';

/** A reported risk factor is a uint16: the feature's index and the sign of its contribution. */
const MAX_FEATURES = 2 ** 15;

/** Origins of training outcomes. */
export const OUTCOMES = ['simulated', 'calibrated', 'observed'] as const;

const text = z.string().min(1);
const number = z.number();
const share = number.min(0).max(1);
const count = z.int().positive();

/** What every feature has; numbers are in its unit. */
const commonFields = {
  name: text,
  unit: z.string(),
  /** Bounds of what a request may state. */
  minimum: number,
  maximum: number,
  /** The factor's name in answers. */
  label: text,
  risk_factor: z.boolean(),
};

/** A feature of practice: no column of the grid, and at its default without effect. */
const practiceSchema = z
  .strictObject({
    ...commonFields,
    /** Average practice, by which the models were trained. */
    default: number,
    /** The planting methods that it concerns; absent for all. */
    methods: z.array(z.enum(PLANTING_METHODS)).min(1).optional(),
  })
  .refine((feature) => feature.default >= feature.minimum && feature.default <= feature.maximum, {
    error: 'default is not from minimum to maximum',
  });

/** A feature that is a column of the grid, whose values lie within the bounds of the feature. */
const gridFeatureSchema = z.object({
  ...commonFields,
  /** 1st and 99th percentile over the sites of the training outcomes. */
  training: z
    .object({ p1: number, p99: number })
    .refine(({ p1, p99 }) => p1 <= p99, { error: 'p1 is above p99' }),
  /**
   * Standard error of the grid's value: sqrt(at_point² + (per_km * distance to the matched point in km)² +
   * (per_elevation_km * difference in elevation in km)²).
   */
  error: z.object({
    at_point: number.nonnegative(),
    per_km: number.nonnegative(),
    per_elevation_km: number.nonnegative().optional(),
    /** Name of the grid variable whose value at the point takes the place of `at_point`. */
    column: text.optional(),
    /** Whether the numbers are shares of the value. */
    relative: z.literal(true).optional(),
  }),
});

/** One of the two, by whether it has a default. A union would not say which problem belongs to which. */
const featureSchema = z.unknown().transform((value, context) => {
  const hasDefault = typeof value === 'object' && value !== null && 'default' in value;
  const { data, error } = (hasDefault ? practiceSchema : gridFeatureSchema).safeParse(value);
  for (const { message, path } of error?.issues ?? [])
    context.addIssue({ code: 'custom', message, path: [...path] });
  if (data !== undefined && data.minimum >= data.maximum)
    context.addIssue({ code: 'custom', message: 'minimum is not below maximum' });
  return data ?? z.NEVER;
});

/** Whether a feature is of practice, and no column of the grid. */
export function isPractice(feature: Manifest['features'][number]): feature is PracticeFeature {
  return 'default' in feature;
}

type PracticeFeature = z.output<typeof practiceSchema>;

const fileSchema = z.object({ file: text, sha256: z.string().regex(/^[0-9a-f]{64}$/) });

const methodSchema = fileSchema.extend({
  /** By species and feature: the average training site, which baseline and contributions refer to. */
  averages: z.array(z.array(number)),
  /** The interval graph. */
  intervals: fileSchema.optional(),
});

export const horizonSchema = z.literal(HORIZONS).meta({ id: 'Horizon', type: 'integer' });
export const plantingMethodSchema = z.enum(PLANTING_METHODS).meta({ id: 'PlantingMethod' });

/** The evaluation of one method at one horizon, as GET /v1/model has it; null where a score is not defined. */
export const scoreSchema = z.object({
  planting_method: plantingMethodSchema,
  horizon_years: horizonSchema,
  auc: share.nullable().meta({ examples: [0.73] }),
  brier: share.meta({ examples: [0.1034] }),
  calibration_slope: number.nullable().meta({ examples: [0.978] }),
  expected_calibration_error: share.meta({ examples: [0.0021] }),
});

/** A planting that was observed, and what the models predict of it, as GET /v1/model has it. */
export const evidenceSchema = z.object({
  source: text.meta({ examples: ['published_levels'] }),
  place: text.meta({ examples: ['Medford'] }),
  treatment: text.nullable().meta({ description: 'Null if unknown.', examples: ['weed control'] }),
  species_code: text.meta({ examples: ['PSME'] }),
  planting_method: plantingMethodSchema,
  years: number.positive().meta({ description: 'Years until the trees were counted.', examples: [4.8] }),
  horizon_years: z
    .int()
    .min(1)
    .max(Math.max(...HORIZONS))
    .meta({
      description: 'Year of the prediction. Between two horizons, the prediction is interpolated.',
      examples: [5],
    }),
  trees: count.nullable().meta({ description: 'Null if unknown.', examples: [200] }),
  observed: share.meta({ description: 'Share of the trees that were alive.', examples: [0.93] }),
  predicted: share.meta({ examples: [0.81] }),
  low: share
    .nullable()
    .meta({ description: 'Low end of the interval. Null without intervals.', examples: [0.52] }),
  high: share.nullable().meta({ examples: [0.97] }),
  use: z.enum(['conditioning', 'held_out', 'shown']).meta({
    description: 'Whether the models were conditioned on the planting or only compared with it.',
    examples: ['held_out'],
  }),
});

export const manifestSchema = z
  .object({
    format: z.literal('nurselog-model/3'),
    version: text,
    codename: text,
    series: text,
    coverage: text,
    outcomes: z.enum(OUTCOMES),
    /** What a reader of the survival figures has to know. */
    caution: text,
    /** What "alive" means, by method. */
    alive: z.record(z.enum(PLANTING_METHODS), text),
    horizons: z.array(number).refine((years) => String(years) === String(HORIZONS), {
      message: `must be ${HORIZONS.join(', ')}`,
    }),
    species: z.array(z.string()).min(1),
    features: z.array(featureSchema).min(1).max(MAX_FEATURES),
    methods: z.record(z.enum(PLANTING_METHODS), methodSchema),
    /** Probability that an interval of the interval graphs contains the value; null without those graphs. */
    interval_level: number.gt(0).lt(1).nullable(),
    scores: z.array(scoreSchema),
    evidence: z.array(evidenceSchema).default([]),
  })
  .superRefine((manifest, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const { coverage, codename, version, features, species, methods, interval_level } = manifest;
    const numbers = version.slice(coverage.length, -codename.length);
    if (!/^_v\d+_\d+_$/.test(numbers) || version !== coverage + numbers + codename)
      complain('version', `"${version}" is not ${coverage}_v<major>_<minor>_${codename}`);
    for (const key of ['name', 'label'] as const) {
      const values = features.map((feature) => feature[key]);
      const repeated = values.find((value, index) => values.indexOf(value) !== index);
      if (repeated !== undefined) complain('features', `${key} "${repeated}" appears twice`);
    }
    if (features.filter(({ risk_factor }) => risk_factor).length < RISK_FACTOR_COUNT) {
      complain('features', `fewer than ${RISK_FACTOR_COUNT} features may be risk factors`);
    }
    for (const [method, { averages }] of Object.entries(methods)) {
      if (averages.length !== species.length || averages.some((row) => row.length !== features.length)) {
        complain(
          `methods.${method}.averages`,
          `must be ${species.length} rows (species) of ${features.length} numbers (features)`,
        );
      }
      for (const [f, { name, minimum, maximum }] of features.entries()) {
        const wrong = averages.map((row) => row[f]).find((average) => average < minimum || average > maximum);
        if (wrong !== undefined)
          complain(`methods.${method}.averages`, `${wrong} of ${name} is not from ${minimum} to ${maximum}`);
      }
    }
    if (
      Object.values(methods).some(({ intervals }) => (intervals === undefined) !== (interval_level === null))
    )
      complain('interval_level', 'must be a number if all methods have intervals, and null if none has');
  });

/** The description of a directory of models: version, features, species and the file of each planting method. */
export type Manifest = z.output<typeof manifestSchema>;

/** The model as answers and reports name it. */
export function modelOf({ version, codename, series }: Manifest) {
  return { version, codename, series };
}

export const MANIFEST_FILE = 'manifest.json';
