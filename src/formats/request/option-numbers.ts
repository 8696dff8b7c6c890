import { z } from 'zod';
import { isPractice } from '../../prediction/artefacts/manifest.js';
import { memoize, type PredictorData } from '../../prediction/predictor-data.js';
import {
  adjustmentWidth,
  CONDITIONS,
  OPTION,
  OWN_ELEVATION,
  PRECIPITATION_CHANGE,
  type SiteRows,
  WARMING,
} from '../../prediction/site-rows.js';
import { show } from '../errors/shown-value.js';

export interface OptionNumber {
  readonly name: string;
  readonly unit: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly example: number;
  /** Where it is in the adjustments of a row. */
  readonly column: number;
  /** Its value if it is not stated: stating this value has no effect. */
  readonly default?: number;
}

export const ELEVATION: OptionNumber = {
  name: 'elevation_m',
  unit: 'm',
  minimum: -10,
  maximum: 4400,
  example: 850,
  column: OWN_ELEVATION,
};

/** The members of `scenario`. */
export const SCENARIO: readonly OptionNumber[] = [
  { name: 'warming_c', unit: 'degC', minimum: -5, maximum: 10, example: 2, column: WARMING },
  {
    name: 'precipitation_change_percent',
    unit: 'percent',
    minimum: -80,
    maximum: 200,
    example: -10,
    column: PRECIPITATION_CHANGE,
  },
];

/** The members of `conditions`: the models' features. */
export function conditionsOf({ manifest }: PredictorData): OptionNumber[] {
  return manifest.features.map((feature, index) => ({
    ...feature,
    column: CONDITIONS + index,
    example: isPractice(feature)
      ? feature.default
      : Number(((feature.training.p1 + feature.training.p99) / 2).toPrecision(3)),
  }));
}

/** Whether a value is a number of the range; NaN is not. */
export function isInRange(value: unknown, { minimum, maximum }: OptionNumber): value is number {
  return typeof value === 'number' && value >= minimum && value <= maximum;
}

/** Writes a number within its range to a row, whose adjustments the caller has initialized. */
export function setAdjustment(rows: SiteRows, row: number, number: OptionNumber, value: number): void {
  const isDefault = value === number.default;
  rows.adjustments[row * rows.width + number.column] = isDefault ? Number.NaN : value;
  if (!isDefault) rows.options[row] |= OPTION.adjusted;
}

/** The message for a value outside the range of a number, without a full stop. */
export function rangeMessage({ name, unit, minimum, maximum }: OptionNumber, value: unknown): string {
  const of = unit === '1' ? '' : ` ${unit}`;
  return `${name} must be a number from ${minimum} to ${maximum}${of}, not ${show(value)}`;
}

/** The JSON schema of a number. */
export function describedNumber({ unit, minimum, maximum, example, ...number }: OptionNumber) {
  return {
    type: 'number',
    minimum,
    maximum,
    description: unit === '1' ? 'Dimensionless.' : `In ${unit}.`,
    examples: [example],
    ...(number.default !== undefined && { default: number.default }),
  } as const;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Parses a query parameter in decimal or scientific notation; NaN for any other text. */
export function queryNumber(text: string): number {
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}

/** The numbers that the query of a table or surface assumes for all rows, by name; defaults are left out. */
export type AssumedValues = Readonly<Record<string, number>>;

/** What may be assumed: a changed climate, and practice. */
export const assumptionsOf = memoize((data: PredictorData) => [
  ...SCENARIO,
  ...conditionsOf(data).filter((number) => number.default !== undefined),
]);

/** The schema of each assumption, by its name. */
export function assumptionSchemas(data: PredictorData): Record<string, z.ZodOptional> {
  const schemas = assumptionsOf(data).map((number) => {
    const about = number.default === undefined ? 'A changed climate' : 'Practice';
    const described = describedNumber(number);
    const schema = z
      .unknown()
      .refine((value) => isInRange(value, number), { error: ({ input }) => rangeMessage(number, input) })
      .optional()
      .meta({ ...described, description: `${about}. ${described.description}` });
    return [number.name, schema] as const;
  });
  return Object.fromEntries(schemas);
}

/** The adjustments of a row under assumptions; NaN for whatever is not assumed. */
export function adjustmentsFor(assumed: AssumedValues, data: PredictorData): Float64Array {
  const adjustments = new Float64Array(adjustmentWidth(data.manifest)).fill(Number.NaN);
  for (const { name, column } of assumptionsOf(data)) adjustments[column] = assumed[name] ?? Number.NaN;
  return adjustments;
}
