import { show } from '../../prediction/errors/shown-value.js';

/** A number that a request may state: its name, its unit, its range and an example. */
export interface OptionNumber {
  readonly name: string;
  readonly unit: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly example: number;
  /** What it is where it is not stated; stating it has no effect. */
  readonly default?: number;
}

export const ELEVATION: OptionNumber = {
  name: 'elevation_m',
  unit: 'm',
  minimum: -10,
  maximum: 4400,
  example: 850,
};

export const METRES_PER_FOOT = 0.3048;

/** The members of `scenario`, in the order of WARMING and PRECIPITATION_CHANGE. */
export const SCENARIO: readonly OptionNumber[] = [
  { name: 'warming_c', unit: 'degC', minimum: -5, maximum: 10, example: 2 },
  { name: 'precipitation_change_percent', unit: 'percent', minimum: -80, maximum: 200, example: -10 },
];

/** Whether a value is a number of the range; NaN is not. */
export function isWithin(value: unknown, { minimum, maximum }: OptionNumber): value is number {
  return typeof value === 'number' && value >= minimum && value <= maximum;
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
    description: `In ${unit}.`,
    examples: [example],
    ...(number.default !== undefined && { default: number.default }),
  } as const;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The number that a parameter of a query is, in decimal or scientific notation; NaN for any other text. */
export function queryNumber(text: string): number {
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}
