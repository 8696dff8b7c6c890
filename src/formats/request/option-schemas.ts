import { z } from 'zod';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { lapseColumnOf } from '../../prediction/artefacts/option-columns.js';
import { MAX_RISE_M } from '../../prediction/conditions/adjustments.js';
import { INCLUDES, type Include } from '../../prediction/dimensions.js';
import { SHOWN_ELEMENTS, show, showAll } from '../../prediction/errors/shown-value.js';

/** A number that an option may have: its name, its unit, its range and an example. */
export interface OptionNumber {
  readonly name: string;
  readonly unit: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly example: number;
}

export const ELEVATION: OptionNumber = {
  name: 'elevation_m',
  unit: 'm',
  minimum: -100,
  maximum: 4400,
  example: 850,
};

export const METRES_PER_FOOT = 0.3048;

/** The members of `scenario`, in the order of WARMING and PRECIPITATION_CHANGE. */
export const SCENARIO: readonly OptionNumber[] = [
  { name: 'warming_c', unit: 'degC', minimum: -5, maximum: 10, example: 2 },
  { name: 'precipitation_change_percent', unit: 'percent', minimum: -80, maximum: 200, example: -10 },
];

/** What a generation's grid and models allow of the options. */
export interface OptionRules {
  /** The values that `conditions` may have: the models' features. */
  readonly conditions: readonly OptionNumber[];
  /** Whether the grid says how climate changes with elevation. */
  readonly hasLapseRates: boolean;
  readonly hasIntervals: boolean;
}

export function optionRulesOf({ manifest, grid }: Pick<Artefacts, 'manifest' | 'grid'>): OptionRules {
  return {
    conditions: manifest.features.map((feature) => ({
      ...feature,
      example: Number(((feature.training.p1 + feature.training.p99) / 2).toPrecision(3)),
    })),
    hasLapseRates: manifest.features.some(({ name }) => lapseColumnOf(name) in grid.columns),
    hasIntervals: manifest.interval_level !== null,
  };
}

/** The options of a request, as far as a generation allows them. */
export function optionSchemas({ conditions, hasLapseRates, hasIntervals }: OptionRules) {
  return {
    elevation_m: z
      .unknown()
      .refine(() => hasLapseRates, {
        error: 'elevation_m cannot be used: the data of this service have no lapse rates',
        abort: true,
      })
      .refine((value) => isWithin(value, ELEVATION), {
        error: ({ input }) => {
          const isInFeet =
            typeof input === 'number' &&
            input > ELEVATION.maximum &&
            input * METRES_PER_FOOT <= ELEVATION.maximum;
          return rangeMessage(ELEVATION, input) + (isInFeet ? ' (was it in feet?)' : '');
        },
      })
      .optional()
      .meta({
        ...describedNumber(ELEVATION),
        description:
          "The site's own elevation in metres: elevation and climate move from the matched point's to it. At most " +
          `${MAX_RISE_M} m from the matched point's.`,
      }),
    conditions: objectOfNumbers('conditions', conditions).meta({
      ...describedNumbers(conditions),
      description:
        'What you measured, in place of the values of the grid: features of `GET /v1/model` with numbers in their units.',
    }),
    scenario: objectOfNumbers('scenario', SCENARIO).meta({
      ...describedNumbers(SCENARIO),
      description:
        'A changed climate: temperatures move by `warming_c`, precipitation by its percentage, relative humidity stays.',
    }),
    // One issue for all words: see horizons.
    include: z
      .unknown()
      .refine((words) => Array.isArray(words), {
        error: ({ input }) => `include must be an array of ${INCLUDES.join(', ')}, not ${show(input)}`,
        abort: true,
      })
      .refine((words) => (words as unknown[]).every(isInclude), {
        error: ({ input }) =>
          `each word of include must be one of ${INCLUDES.join(', ')}, not ${showAll((input as unknown[]).filter((word) => !isInclude(word)))}`,
        abort: true,
      })
      .refine((words) => hasIntervals || !(words as unknown[]).includes('intervals'), {
        error: 'include cannot have intervals: the models of this service have none',
      })
      .optional()
      .meta({
        type: 'array',
        items: { enum: INCLUDES.filter((word) => hasIntervals || word !== 'intervals') },
        description:
          'What to add to the answer: where the survival is expected to lie (`intervals`), all contributions ' +
          '(`explanation`), what is known of the matched point (`site`).',
        examples: [['explanation', 'site']],
      }),
  };
}

/** An object whose members are numbers within their ranges, and no others. */
function objectOfNumbers(option: string, numbers: readonly OptionNumber[]) {
  const names = namesOf(numbers);
  return z
    .unknown()
    .superRefine((value, context) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        const message = `${option} must be an object with numbers, not ${show(value)}`;
        context.addIssue({ code: 'custom', message });
        return;
      }
      const unknown = Object.keys(value).filter((name) => !names.includes(name));
      if (unknown.length > 0) {
        const keys = showAll(unknown.slice(0, SHOWN_ELEMENTS));
        const message = `${option} must not have ${keys}: its keys are ${names.join(', ')}`;
        context.addIssue({ code: 'custom', message });
      }
      for (const number of numbers) {
        if (!Object.hasOwn(value, number.name)) continue;
        const member = (value as Record<string, unknown>)[number.name];
        if (isWithin(member, number)) continue;
        const message = `${option}.${rangeMessage(number, member)}`;
        context.addIssue({ code: 'custom', path: [number.name], message });
      }
    })
    .optional();
}

function isInclude(word: unknown): boolean {
  return INCLUDES.includes(word as Include);
}

/** Whether a value is a number of the range; NaN is not. */
export function isWithin(value: unknown, { minimum, maximum }: OptionNumber): value is number {
  return typeof value === 'number' && value >= minimum && value <= maximum;
}

export function namesOf(numbers: readonly OptionNumber[]): string[] {
  return numbers.map(({ name }) => name);
}

/** The message for a value outside the range of a number, without a full stop. */
export function rangeMessage({ name, unit, minimum, maximum }: OptionNumber, value: unknown): string {
  const of = unit === '1' ? '' : ` ${unit}`;
  return `${name} must be a number from ${minimum} to ${maximum}${of}, not ${show(value)}`;
}

/** The JSON schema of an object of numbers. */
function describedNumbers(numbers: readonly OptionNumber[]) {
  const properties = Object.fromEntries(numbers.map((number) => [number.name, describedNumber(number)]));
  return { type: 'object', properties, additionalProperties: false } as const;
}

/** The JSON schema of a number. */
export function describedNumber({ unit, minimum, maximum, example }: OptionNumber) {
  return { type: 'number', minimum, maximum, description: `In ${unit}.`, examples: [example] } as const;
}
