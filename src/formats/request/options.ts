import { z } from 'zod';
import { lapseColumnOf } from '../../prediction/artefacts/shared-grid.js';
import { INCLUDES } from '../../prediction/dimensions.js';
import type { PredictorData } from '../../prediction/predictor-data.js';
import { MAX_RISE_M } from '../../prediction/site-features.js';
import { adjustmentWidth, OPTION, SiteRows } from '../../prediction/site-rows.js';
import { show, showAll } from '../errors/shown-value.js';
import {
  conditionsOf,
  describedNumber,
  ELEVATION,
  isInRange,
  type OptionNumber,
  rangeMessage,
  SCENARIO,
  setAdjustment,
} from './option-numbers.js';

/** Whether the grid says how climate changes with elevation. */
export function hasLapseRates({ manifest, grid }: PredictorData): boolean {
  return manifest.features.some(({ name }) => lapseColumnOf(name) in grid.columns);
}

/** Receives a problem with an option. @param path within the option */
type Refuse = (message: string, ...path: string[]) => void;

interface Option {
  /** What /openapi.json says about it. */
  readonly meta: z.core.GlobalMeta;
  /** Writes the valid part of a value to a row. */
  write(value: unknown, rows: SiteRows, row: number, refuse: Refuse): void;
}

export const OPTION_NAMES = ['elevation_m', 'conditions', 'scenario', 'include'] as const;

type OptionName = (typeof OPTION_NAMES)[number];

/** The options of a request, each with its description and its one check. */
function optionsUnder(data: PredictorData): Record<OptionName, Option> {
  return {
    elevation_m: elevation(hasLapseRates(data)),
    conditions: objectOfNumbers(
      'Conditions',
      conditionsOf(data),
      'Measured values, which replace those of the grid, and practice: features of `GET /v1/model` with ' +
        'numbers in their units.',
    ),
    scenario: objectOfNumbers(
      'Scenario',
      SCENARIO,
      'A changed climate. Temperatures and precipitation change as stated; relative humidity stays the same.',
    ),
    include: include(data.manifest.interval_level !== null),
  };
}

/** The options of a request as parsed; undefined where absent. */
export type StatedOptions = { readonly [name in OptionName]?: unknown };

/** The schemas of the options that a generation supports. */
export function optionSchemas(data: PredictorData): Record<OptionName, z.ZodOptional> {
  const rows = new SiteRows(1, adjustmentWidth(data.manifest)); // written and never read
  const schemas = Object.entries(optionsUnder(data)).map(([name, option]) => {
    const schema = z.unknown().superRefine((value, context) => {
      option.write(value, rows, 0, (message, ...path) => context.addIssue({ code: 'custom', message, path }));
    });
    return [name, schema.optional().meta(option.meta)];
  });
  return Object.fromEntries(schemas) as Record<OptionName, z.ZodOptional>;
}

/** Makes a function that writes the options of a request to a row, and returns whether `optionSchemas` accepts them. */
export function optionWriter(data: PredictorData) {
  const options = Object.entries(optionsUnder(data));
  return (stated: StatedOptions, rows: SiteRows, row: number): boolean => {
    let isValid = true;
    const refuse = () => {
      isValid = false;
    };
    rows.adjustments.fill(Number.NaN, row * rows.width, (row + 1) * rows.width);
    for (const [name, option] of options) {
      const value = stated[name as OptionName];
      if (value !== undefined) option.write(value, rows, row, refuse);
    }
    return isValid;
  };
}

function elevation(isUsable: boolean): Option {
  const description =
    'Elevation of the site in metres. Elevation and climate are adjusted from the matched point to it. The ' +
    `difference may be at most ${MAX_RISE_M} m.`;
  return {
    meta: { ...describedNumber(ELEVATION), description },
    write(value, rows, row, refuse) {
      if (!isUsable) refuse('elevation_m cannot be used: the data of this service have no lapse rates');
      else if (isInRange(value, ELEVATION)) setAdjustment(rows, row, ELEVATION, value);
      else refuse(rangeMessage(ELEVATION, value));
    },
  };
}

/** An object whose members are numbers within their ranges, and no others. @param id of its schema */
function objectOfNumbers(id: string, numbers: readonly OptionNumber[], description: string): Option {
  const option = id.toLowerCase();
  const names = numbers.map(({ name }) => name);
  const properties = Object.fromEntries(numbers.map((number) => [number.name, describedNumber(number)]));
  return {
    meta: { id, type: 'object', properties, additionalProperties: false, description },
    write(value, rows, row, refuse) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        refuse(`${option} must be an object with numbers, not ${show(value)}`);
        return;
      }
      const unknown = Object.keys(value).filter((name) => !names.includes(name));
      if (unknown.length > 0) {
        refuse(`${option} must not have ${showAll(unknown)}: its keys are ${names.join(', ')}`);
      }
      for (const number of numbers) {
        if (!Object.hasOwn(value, number.name)) continue;
        const member = (value as Record<string, unknown>)[number.name];
        if (isInRange(member, number)) setAdjustment(rows, row, number, member);
        else refuse(`${option}.${rangeMessage(number, member)}`, number.name);
      }
    },
  };
}

export const NO_INTERVALS = 'include cannot have intervals: the models of this service have none';

function include(hasIntervals: boolean): Option {
  const known = INCLUDES.join(', ');
  const description =
    'What to add to the response: intervals of the survival (`intervals`), the contributions of all features ' +
    '(`explanation`), details of the matched point (`site`).';
  const items = { type: 'string', enum: INCLUDES.filter((word) => hasIntervals || word !== 'intervals') };
  return {
    meta: { type: 'array', items, description, examples: [['explanation', 'site']] },
    write(value, rows, row, refuse) {
      if (!Array.isArray(value)) refuse(`include must be an array of ${known}, not ${show(value)}`);
      else if (!value.every((word) => INCLUDES.includes(word))) {
        // One issue for all: one for each would let a body of 1 MiB cause an answer of 50 MiB.
        const wrong = showAll(value.filter((word) => !INCLUDES.includes(word)));
        refuse(`each word of include must be one of ${known}, not ${wrong}`);
      } else if (!hasIntervals && value.includes('intervals')) refuse(NO_INTERVALS);
      else for (const word of value as (typeof INCLUDES)[number][]) rows.options[row] |= OPTION[word];
    },
  };
}
