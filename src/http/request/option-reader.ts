import { CONDITIONS, OWN_ELEVATION, WARMING } from '../../prediction/conditions/adjustments.js';
import { OPTION, type SiteRows } from '../../prediction/site-rows.js';
import { numberAt, OPEN_OBJECT } from './json.js';
import { ObjectFields } from './object-fields.js';
import { ELEVATION, type OptionNumber, type OptionRules, SCENARIO } from './option-schemas.js';
import { objectOutlineAt } from './outlines.js';

/** The offset of the value of each option in the bytes of a request; 0 where it is absent. */
export interface OptionStarts {
  readonly elevation: number;
  readonly conditions: number;
  readonly scenario: number;
}

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
    if (!isValid) return false;
    for (let i = first; i < first + width; i++)
      if (!Number.isNaN(adjustments[i])) rows.options[row] |= OPTION.adjusted;
    return true;
  }

  /** The fields that error messages show more of than `outlineAt` does. */
  readonly outlines = {
    conditions: (bytes: Buffer, start: number) => objectOutlineAt(bytes, start, this.#conditions),
    scenario: (bytes: Buffer, start: number) => objectOutlineAt(bytes, start, this.#scenario),
  };
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

function isWithin(value: number, { minimum, maximum }: OptionNumber): boolean {
  return value >= minimum && value <= maximum; // not NaN
}

function namesOf(numbers: readonly OptionNumber[]): string[] {
  return numbers.map(({ name }) => name);
}
