import { z } from 'zod';
import {
  HORIZONS,
  type Horizon,
  PLANTING_METHODS,
  type PlantingMethod,
} from '../../prediction/dimensions.js';
import { show, showAll } from '../errors/shown-value.js';
import type { optionSchemas } from '../request/options.js';

const PLANTING_BASES = ['mean', 'low'] as const;
export type PlantingBasis = (typeof PLANTING_BASES)[number];

/** Years, if the request does not say. */
export const DEFAULT_HORIZON: Horizon = 5;

/** What `target_per_ha` is divided by if the request does not say. */
export const DEFAULT_BASIS: PlantingBasis = 'mean';

const MAX_TARGET_PER_HA = 100_000;

/** The largest cost of a planted tree or sown spot, in any currency. */
const MAX_COST = 1_000_000_000;

const EXAMPLE_POLYGON = [
  [
    [-122.05, 44.1],
    [-122.03, 44.1],
    [-122.03, 44.12],
    [-122.05, 44.12],
    [-122.05, 44.1],
  ],
];

const position = { type: 'array', minItems: 2, items: { type: 'number' } };
const polygon = { type: 'array', minItems: 1, items: { type: 'array', minItems: 4, items: position } };

function geometryOf(type: 'Polygon' | 'MultiPolygon', coordinates: object, example: unknown) {
  return {
    type: 'object',
    required: ['type', 'coordinates'],
    properties: { type: { const: type }, coordinates: { ...coordinates, examples: [example] } },
  };
}

/** The JSON schema of the GeoJSON members that are read. */
const units = {
  type: 'object',
  required: ['type', 'features'],
  properties: {
    type: { const: 'FeatureCollection' },
    crs: {
      description: 'If present, it must name WGS 84 or NAD83.',
      examples: [{ type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } }],
    },
    features: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'id', 'geometry'],
        properties: {
          type: { const: 'Feature' },
          id: {
            $ref: '#/components/schemas/UnitId',
            description: 'Unique in the request, at most 4096 bytes as JSON.',
            examples: ['A-17'],
          },
          geometry: {
            anyOf: [
              geometryOf('Polygon', polygon, EXAMPLE_POLYGON),
              geometryOf('MultiPolygon', { type: 'array', minItems: 1, items: polygon }, [EXAMPLE_POLYGON]),
            ],
          },
          properties: { description: 'Ignored.', examples: [{ name: 'North slope' }] },
        },
      },
    },
  },
} as const;

export const EXAMPLE_PLAN = {
  units: {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', id: 'A-17', geometry: { type: 'Polygon', coordinates: EXAMPLE_POLYGON } }],
  },
  species_codes: ['PSME', 'TSHE'],
  costs: { manual: 1.2, drone_seeded: 0.35 },
  target_per_ha: 400,
};

/** The fields of POST /v1/plan that rankings do not have. `unit-reader` checks the content of `units`. */
export function planFields({ conditions, scenario }: ReturnType<typeof optionSchemas>) {
  return {
    units: z.unknown().meta({
      ...units,
      description:
        'Planting units: Polygons and MultiPolygons in WGS 84 degrees. Their properties are ignored.',
    }),
    horizon: z
      .literal([...HORIZONS], {
        error: ({ input }) => `horizon must be one of ${HORIZONS.join(', ')}, not ${show(input)}`,
      })
      .optional()
      .meta({ type: 'integer', description: 'Horizon in years.', default: DEFAULT_HORIZON }),
    costs: z
      .strictObject({ manual: costOf('manual'), drone_seeded: costOf('drone_seeded') }, { error: costsError })
      .optional()
      .meta({
        description:
          'Cost of a planted tree (`manual`) and of a sown spot (`drone_seeded`), in any currency. Every ' +
          'requested method needs one. Options are then ranked by cost per survivor.',
        examples: [EXAMPLE_PLAN.costs],
      }),
    target_per_ha: positiveNumber('target_per_ha', MAX_TARGET_PER_HA)
      .optional()
      .meta({
        description: 'Living trees wanted per hectare at `horizon`. Each option then has an `order`.',
        examples: [EXAMPLE_PLAN.target_per_ha],
      }),
    basis: z
      .literal(PLANTING_BASES, {
        error: ({ input }) => `basis must be ${PLANTING_BASES.map(show).join(' or ')}, not ${show(input)}`,
      })
      .optional()
      .meta({
        description:
          'Survival by which `target_per_ha` is divided: the mean (`mean`), or the low end of the interval ' +
          '(`low`), so that the planting is expected to meet the target in 9 of 10 cases. By default, ' +
          `\`${DEFAULT_BASIS}\`. Requires \`target_per_ha\`.`,
      }),
    scenario,
    conditions,
  };
}

/** Fields of other endpoints that a plan refuses, with the reason. */
export const REFUSED_FIELDS = {
  elevation_m: refused('elevation_m', 'every data point of a unit has its own elevation'),
  include: refused('include', 'a plan always has intervals, and nothing else can be added'),
};

function refused(name: string, reason: string) {
  return z.never({ error: `${name} cannot be used in a plan: ${reason}` }).optional();
}

function positiveNumber(name: string, maximum: number) {
  const error = ({ input }: { input?: unknown }) =>
    `${name} must be a number above 0, at most ${maximum}, not ${show(input)}`;
  return z.number({ error }).gt(0, { error }).max(maximum, { error });
}

function costOf(method: PlantingMethod) {
  return positiveNumber(`costs.${method}`, MAX_COST)
    .meta({ examples: [EXAMPLE_PLAN.costs[method]] })
    .optional();
}

function costsError({ input, code, keys }: { input?: unknown; code?: string; keys?: readonly string[] }) {
  return code === 'unrecognized_keys'
    ? `costs must not have ${showAll(keys ?? [])}: its keys are ${PLANTING_METHODS.join(', ')}`
    : `costs must be an object with a number for each planting method, not ${show(input)}`;
}
