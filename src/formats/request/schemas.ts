import { z } from 'zod';
import { HORIZONS, type Horizon, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { memoize, type PredictorData } from '../../prediction/predictor-data.js';
import { show, showAll } from '../errors/shown-value.js';
import { EXAMPLE_PLAN, planFields } from '../plan/plan-schema.js';
import { assumptionSchemas, conditionsOf, ELEVATION, SCENARIO } from './option-numbers.js';
import { hasLapseRates, optionSchemas } from './options.js';

/** Degrees north or south, and east or west, that a request may have. */
export const MAX_LATITUDE = 90;
export const MAX_LONGITUDE = 180;

/** A degree of latitude or longitude: a finite JSON number within its limit. */
function degrees(name: string, limit: number) {
  const error = ({ input }: { input?: unknown }) =>
    `${name} must be a number from -${limit} to ${limit}, not ${show(input)}`;
  return z.number({ error }).min(-limit, { error }).max(limit, { error });
}

/**
 * A list of values that callers choose from. Not `z.array`, which is slow for half a million elements and reports an
 * issue for each wrong one: a body of 1 MiB could cause an answer of 50 MiB.
 * @param elements names them in messages
 * @param rule what each must be
 */
function listSchema<Element>(
  name: string,
  elements: string,
  rule: string,
  isValid: (element: unknown) => boolean,
  meta: { maxItems?: number; items: object; description: string; examples: unknown[]; default?: unknown[] },
) {
  const { maxItems = Number.POSITIVE_INFINITY } = meta;
  const messageFor = (list: unknown) => {
    if (!Array.isArray(list) || list.length === 0)
      return `${name} must be a non-empty array of ${elements}, not ${show(list)}`;
    if (list.length > maxItems) return `${name} must have at most ${maxItems} elements, not ${list.length}`;
    const wrong = list.filter((element) => !isValid(element));
    return wrong.length === 0 ? undefined : `each ${rule}, not ${showAll(wrong)}`;
  };
  return z
    .unknown()
    .refine((list): list is Element[] => messageFor(list) === undefined, {
      error: ({ input }) => messageFor(input),
    })
    .optional()
    .meta({ type: 'array', minItems: 1, ...meta });
}

const place = {
  latitude: degrees('latitude', MAX_LATITUDE).meta({ description: 'Degrees north.', examples: [44.12] }),
  longitude: degrees('longitude', MAX_LONGITUDE).meta({ description: 'Degrees east.', examples: [-122.03] }),
};

const horizonList = HORIZONS.join(', ');
const years = {
  horizons: listSchema<Horizon>(
    'horizons',
    horizonList,
    `horizon must be one of ${horizonList}`,
    (value) => HORIZONS.includes(value as Horizon),
    {
      items: { $ref: '#/components/schemas/Horizon' },
      description: 'Years. Duplicates are ignored. By default, all three.',
      examples: [[1, 5]],
      default: [...HORIZONS],
    },
  ),
};

const plantingMethod = z
  .unknown()
  .refine((value) => value !== undefined, {
    error: `planting_method is missing: it must be ${PLANTING_METHODS.map(show).join(' or ')}`,
  })
  .meta({
    $ref: '#/components/schemas/PlantingMethod',
    description: 'How the tree is planted.',
    examples: ['manual'],
  });

const EXAMPLE_PLACE = { latitude: 44.12, longitude: -122.03 };
const EXAMPLE = { ...EXAMPLE_PLACE, species_code: 'PSME' };

/** One in forest, and one outside the coverage. */
const EXAMPLE_ENTRIES = [
  { ...EXAMPLE, planting_method: 'manual' },
  { latitude: 43.615, longitude: -116.202, species_code: 'PSME', planting_method: 'drone_seeded' },
];

/** Examples of a prediction: one with the fields it must have, and one with all options. */
function predictionExamples(data: PredictorData) {
  const measured = conditionsOf(data)
    .slice(-1)
    .map(({ name, example }) => [name, example]);
  return [
    EXAMPLE_ENTRIES[0],
    {
      ...EXAMPLE,
      planting_method: 'drone_seeded',
      horizons: [5],
      ...(hasLapseRates(data) && { [ELEVATION.name]: ELEVATION.example }),
      conditions: Object.fromEntries(measured),
      scenario: Object.fromEntries(SCENARIO.map(({ name, example }) => [name, example])),
      include: ['explanation', 'site'],
    },
  ];
}

/** Most elements of a list to choose from: some dozen differ, and a body could have hundreds of thousands. */
const MAX_CHOICES = 1000;

const choice = {
  // An element that is no method has an error code of its own.
  planting_methods: listSchema<unknown>('planting_methods', PLANTING_METHODS.join(', '), '', () => true, {
    maxItems: MAX_CHOICES,
    items: { $ref: '#/components/schemas/PlantingMethod' },
    description: 'Planting methods. Duplicates are ignored. By default, both.',
    examples: [['manual']],
    default: [...PLANTING_METHODS],
  }),
  species_codes: listSchema<string>(
    'species_codes',
    'species codes',
    'species code must be a string such as "PSME"',
    (code) => typeof code === 'string',
    {
      maxItems: MAX_CHOICES,
      items: { $ref: '#/components/schemas/SpeciesCode' },
      description: 'Codes from GET /v1/species, matched exactly. Duplicates are ignored. By default, all.',
      examples: [['PSME', 'PIPO']],
    },
  ),
  native_only: z
    .boolean({ error: ({ input }) => `native_only must be true or false, not ${show(input)}` })
    .optional()
    .meta({
      description:
        'Whether to leave out species whose native range does not contain the matched point. Range maps ' +
        'are accurate to kilometres only: species at the edge of their range may be left out.',
      examples: [false],
      default: true,
    }),
};

const RANKING_EXAMPLES = [
  EXAMPLE_PLACE,
  {
    ...EXAMPLE_PLACE,
    species_codes: ['PSME', 'TSHE', 'PIPO'],
    planting_methods: ['manual'],
    native_only: false,
    horizons: [5],
  },
];

export type RequestSchemas = ReturnType<typeof requestSchemas>;

/**
 * The bodies of requests for a site, under the grid and models of a generation. In /openapi.json their names are those of
 * the schemas that were made last.
 */
export function requestSchemas(data: PredictorData) {
  const options = optionSchemas(data);
  const codes = data.species.map(({ species_code }) => species_code);
  // A code that is not served has an error of its own, so that the schema only describes them.
  const speciesCode = z
    .string({ error: ({ input }) => `species_code must be a string such as "PSME", not ${show(input)}` })
    .meta({
      id: 'SpeciesCode',
      description: 'A code from GET /v1/species, matched exactly.',
      examples: ['PSME'],
      enum: codes,
    });
  const fields = { ...place, species_code: speciesCode, ...years };
  /** Body of POST /v1/predict and entry of a batch. A planting method that is present but wrong has a code of its own. */
  const prediction = z
    .object({ ...fields, planting_method: plantingMethod, ...options })
    .meta({ id: 'PredictionRequest', examples: predictionExamples(data) });
  return {
    /** Parameters of the queries of tables and surfaces. */
    assumptions: assumptionSchemas(data),
    comparison: z.object({ ...fields, ...options }).meta({ id: 'ComparisonRequest', examples: [EXAMPLE] }),
    prediction,
    /** Body of POST /v1/predict/batch, whose entries are checked one by one. */
    batch: z
      .object({
        requests: z.array(prediction).meta({ description: 'Entries.', examples: [EXAMPLE_ENTRIES] }),
      })
      .meta({ id: 'BatchRequest' }),
    /** Body of POST /v1/predict/rank. An unknown method or species has an error code of its own. */
    ranking: z
      .object({ ...place, ...choice, ...years, ...options })
      .meta({ id: 'RankingRequest', examples: RANKING_EXAMPLES }),
    /** Body of POST /v1/plan without its units, which are checked one by one. */
    plan: z
      .object({ ...planFields(options), ...choice })
      .meta({ id: 'PlanRequest', examples: [EXAMPLE_PLAN] }),
  };
}

/** The fields that a request may omit; found once for each schema. Fields that it must omit are `never` in the schema. */
export const optionalNames = memoize(({ shape }: z.ZodObject) =>
  Object.keys(shape).filter((name) => {
    const field = shape[name];
    return field instanceof z.ZodOptional && !(field.unwrap() instanceof z.ZodNever);
  }),
);

export type PredictRequest = z.output<RequestSchemas['prediction']>;
export type RankRequest = z.output<RequestSchemas['ranking']>;
export type PlanRequest = z.output<RequestSchemas['plan']>;
