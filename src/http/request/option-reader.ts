import { CONDITIONS, OWN_ELEVATION, WARMING } from '../../prediction/conditions/adjustments.js';
import { INCLUDES, type Include } from '../../prediction/dimensions.js';
import { OPTION, type SiteRows } from '../../prediction/site-rows.js';
import {
  BACKSLASH,
  firstElementAt,
  nextElementAt,
  numberAt,
  OPEN_ARRAY,
  OPEN_OBJECT,
  plainTextEnd,
  QUOTE,
  startsWith,
} from './json.js';
import { ObjectFields, unescapeName } from './object-fields.js';
import {
  ELEVATION,
  isWithin,
  namesOf,
  type OptionNumber,
  type OptionRules,
  SCENARIO,
} from './option-schemas.js';
import { listOutlineAt, objectOutlineAt } from './outlines.js';

/** The offset of the value of each option in the bytes of a request; 0 where it is absent. */
export interface OptionStarts {
  readonly elevation: number;
  readonly conditions: number;
  readonly scenario: number;
  readonly include: number;
}

/** A word without its escapes: longer than any word of `include`. */
const unescaped = Buffer.alloc(20);
const QUOTED_INCLUDES = INCLUDES.map((word) => Buffer.from(`"${word}"`));

/** Reads the options of a request from its bytes. */
export class OptionReader {
  readonly #conditions: ObjectFields;
  readonly #scenario = new ObjectFields(namesOf(SCENARIO), []);

  constructor(private readonly rules: OptionRules) {
    this.#conditions = new ObjectFields(namesOf(rules.conditions), []);
  }

  /** Writes options to a row. @returns whether all of them are valid */
  write(bytes: Buffer, starts: OptionStarts, rows: SiteRows, row: number): boolean {
    const { adjustments, width } = rows;
    const first = row * width;
    adjustments.fill(Number.NaN, first, first + width);
    if (starts.elevation !== 0) {
      const elevationM = numberAt(bytes, starts.elevation);
      if (!this.rules.hasLapseRates || !isWithin(elevationM, ELEVATION)) return false;
      adjustments[first + OWN_ELEVATION] = elevationM;
    }
    const { conditions } = this.rules;
    const isValid =
      writeNumbers(bytes, starts.conditions, this.#conditions, conditions, adjustments, first + CONDITIONS) &&
      writeNumbers(bytes, starts.scenario, this.#scenario, SCENARIO, adjustments, first + WARMING);
    const include = starts.include === 0 ? 0 : this.#includeAt(bytes, starts.include);
    if (!isValid || include === -1) return false;
    rows.options[row] |= include;
    for (let i = first; i < first + width; i++)
      if (!Number.isNaN(adjustments[i])) rows.options[row] |= OPTION.adjusted;
    return true;
  }

  /** The set of OPTION that an array asks for; -1 where it is not valid. */
  #includeAt(bytes: Buffer, start: number): number {
    if (bytes[start] !== OPEN_ARRAY) return -1;
    let set = 0;
    for (let at = firstElementAt(bytes, start); at !== 0; at = nextElementAt(bytes, at)) {
      const word = includedAt(bytes, at);
      if (word === undefined || (word === 'intervals' && !this.rules.hasIntervals)) return -1;
      set |= OPTION[word];
    }
    return set;
  }

  /** The fields that error messages show more of than `outlineAt` does. */
  readonly outlines = {
    conditions: (bytes: Buffer, start: number) => objectOutlineAt(bytes, start, this.#conditions),
    scenario: (bytes: Buffer, start: number) => objectOutlineAt(bytes, start, this.#scenario),
    include: (bytes: Buffer, start: number) => listOutlineAt(bytes, start, includedAt),
  };
}

/** The word of `include` at an offset; undefined for any other value. */
function includedAt(bytes: Buffer, at: number): Include | undefined {
  const isEscaped = bytes[at] === QUOTE && bytes[plainTextEnd(bytes, at + 1)] === BACKSLASH;
  if (!isEscaped) return wordAt(bytes, at);
  const length = unescapeName(bytes, at, unescaped);
  return unescaped[length - 1] === QUOTE ? wordAt(unescaped, 0) : undefined;
}

function wordAt(bytes: Buffer, at: number): Include | undefined {
  for (let i = 0; i < INCLUDES.length; i++) if (startsWith(bytes, at, QUOTED_INCLUDES[i])) return INCLUDES[i];
  return undefined;
}

/** Writes the members of the object at an offset, if it is not 0, to their columns. @returns whether they are valid */
function writeNumbers(
  bytes: Buffer,
  start: number,
  fields: ObjectFields,
  numbers: readonly OptionNumber[],
  columns: Float64Array,
  first: number,
): boolean {
  if (start === 0) return true;
  if (bytes[start] !== OPEN_OBJECT) return false;
  fields.scan(bytes, start);
  if (fields.hasUnknown) return false;
  for (let i = 0; i < numbers.length; i++) {
    if (fields.starts[i] === 0) continue;
    const value = numberAt(bytes, fields.starts[i]);
    if (!isWithin(value, numbers[i])) return false;
    columns[first + i] = value;
  }
  return true;
}
