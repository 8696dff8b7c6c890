import { CONDITIONS, OWN_ELEVATION, WARMING } from '../../prediction/conditions/adjustments.js';
import { HORIZONS, type Horizon, INCLUDES, type Include } from '../../prediction/dimensions.js';
import { OPTION, type SiteRows } from '../../prediction/site-rows.js';
import {
  ELEVATION,
  isWithin,
  namesOf,
  type OptionNumber,
  type OptionRules,
  SCENARIO,
} from './option-schemas.js';

/** The options of a request as parsed; undefined where absent. */
export interface StatedOptions {
  readonly elevation_m?: unknown;
  readonly conditions?: unknown;
  readonly scenario?: unknown;
  readonly include?: unknown;
}

/** The set of horizons of a list as bits; 0 where it has none, or is anything else. */
export function horizonSetOf(years: unknown): number {
  if (!Array.isArray(years)) return 0;
  let set = 0;
  for (const year of years) {
    const horizon = HORIZONS.indexOf(year as Horizon);
    if (horizon === -1) return 0;
    set |= 1 << horizon;
  }
  return set;
}

/** Writes the options of requests to rows, under the rules of a generation. */
export class OptionWriter {
  readonly #conditions: readonly string[];
  readonly #scenario = namesOf(SCENARIO);

  constructor(private readonly rules: OptionRules) {
    this.#conditions = namesOf(rules.conditions);
  }

  /** @returns whether the options are valid: exactly those that `optionSchemas` accepts */
  write({ elevation_m, conditions, scenario, include }: StatedOptions, rows: SiteRows, row: number): boolean {
    const { adjustments, width } = rows;
    const first = row * width;
    adjustments.fill(Number.NaN, first, first + width);
    if (elevation_m !== undefined) {
      if (!this.rules.hasLapseRates || !isWithin(elevation_m, ELEVATION)) return false;
      adjustments[first + OWN_ELEVATION] = elevation_m;
    }
    const isValid =
      writeNumbers(conditions, this.rules.conditions, this.#conditions, adjustments, first + CONDITIONS) &&
      writeNumbers(scenario, SCENARIO, this.#scenario, adjustments, first + WARMING);
    const included = include === undefined ? 0 : this.#includeSetOf(include);
    if (!isValid || included === -1) return false;
    rows.options[row] |= included;
    for (let i = first; i < first + width; i++)
      if (!Number.isNaN(adjustments[i])) rows.options[row] |= OPTION.adjusted;
    return true;
  }

  /** The set of OPTION that an array asks for; -1 where it is not valid. */
  #includeSetOf(words: unknown): number {
    if (!Array.isArray(words)) return -1;
    let set = 0;
    for (const word of words) {
      if (!INCLUDES.includes(word as Include)) return -1;
      if (word === 'intervals' && !this.rules.hasIntervals) return -1;
      set |= OPTION[word as Include];
    }
    return set;
  }
}

/** Writes the members of an object, if there is one, to their columns. @returns whether they are valid */
function writeNumbers(
  object: unknown,
  numbers: readonly OptionNumber[],
  names: readonly string[],
  columns: Float64Array,
  first: number,
): boolean {
  if (object === undefined) return true;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return false;
  for (const name in object) {
    const index = names.indexOf(name);
    const value = (object as Record<string, unknown>)[name];
    if (index === -1 || !isWithin(value, numbers[index])) return false;
    columns[first + index] = value;
  }
  return true;
}
