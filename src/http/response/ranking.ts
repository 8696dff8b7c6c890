import type { Horizon } from '../../prediction/dimensions.js';

/** A species and a method at a site. */
export interface RankedRow {
  readonly speciesCode: string;
  /** Index into PLANTING_METHODS. */
  readonly method: number;
  readonly isNative: boolean;
  /** The answer of POST /v1/predict. */
  readonly answer: Buffer;
}

// Where the parts of an answer start. No text in it contains these: there a backslash is before each quotation mark.
const [SITE, SPECIES, PREDICTIONS, SURVIVAL, MODEL] = [
  '{"site":',
  ',"species_code":',
  ',"predictions":',
  '"survival_probability":',
  ',"model":',
].map((text) => Buffer.from(text));
const NATIVE = /,"in_native_range":(true|false)/;

/** More than the bytes of an entry, and of the start of the body, that are not copied from an answer. */
const OWN_BYTES = 80;

/**
 * The answer of POST /v1/predict/rank, put together from answers of POST /v1/predict: best first, ties by code, then
 * manual first.
 * @param first any answer for the site, which may be of a row that is not listed
 * @param listed the rows to list
 * @param horizon the longest asked for, by which they are ordered
 */
export function rankingBody(first: Buffer, listed: readonly RankedRow[], horizon: Horizon): Buffer {
  // The same in all answers.
  const endBytes = first.length - first.lastIndexOf(MODEL);
  const entries = listed.map((row) => ({ row, survival: survivalOf(row.answer) }));
  entries.sort(
    (a, b) =>
      b.survival - a.survival ||
      compareText(a.row.speciesCode, b.row.speciesCode) ||
      a.row.method - b.row.method,
  );
  const bytes = listed.reduce((sum, { answer }) => sum + answer.length + OWN_BYTES, 0);
  const body = Buffer.allocUnsafe(bytes + first.length + OWN_BYTES);
  // Of one species only, and therefore in each entry of the ranking instead.
  const site = first.toString('utf8', 0, first.indexOf(SPECIES)).replace(NATIVE, '');
  let length = body.write(`${site},"horizon_years":${horizon},"ranking":[`);
  let rank = 0;
  for (const { row } of entries) {
    const { answer, isNative } = row;
    const species = answer.indexOf(SPECIES, SITE.length);
    const predictions = answer.indexOf(PREDICTIONS, species);
    length += body.write(`${rank === 0 ? '' : ','}{"rank":${++rank}`, length, 'latin1');
    length += answer.copy(body, length, species, predictions);
    length += body.write(`,"in_native_range":${isNative}`, length, 'latin1');
    length += answer.copy(body, length, predictions, answer.length - endBytes);
    length += body.write('}', length, 'latin1');
  }
  length += body.write(']', length, 'latin1');
  length += first.copy(body, length, first.length - endBytes);
  return body.subarray(0, length);
}

/** The reported survival at the last horizon of an answer. */
function survivalOf(answer: Buffer): number {
  const start = answer.lastIndexOf(SURVIVAL) + SURVIVAL.length;
  return Number.parseFloat(answer.toString('latin1', start, start + '0.1234'.length));
}

/** Orders texts by their UTF-16 units, as `sort` does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
