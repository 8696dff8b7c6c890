import { type Data, DataType, DateUnit, Precision, type TimeUnit } from 'apache-arrow';
import { isText } from './column-types.js';
import { viewReader } from './text-views.js';

export interface Cells {
  /** Whether JSON writes them as strings; otherwise they are numbers or booleans as they stand. */
  readonly isString: boolean;
  /** The text of a row: latin1 that holds UTF-8; null where it has no value. */
  text(row: number): string | null;
  /** The number of a row, in a column of integers, floating-point numbers or decimals; undefined where it has no value. */
  number(row: number): number | undefined;
}

/** A reader of a column of any type that `isWritable`; not of views. */
export function cellsOf(data: Data): Cells {
  const { type, values } = data;
  const { isString, text } = textsOf(data);
  const isPlain = DataType.isInt(type) || DataType.isFloat(type);
  const number = (row: number) => Number(isPlain ? values[row] : text(row));
  const isNull = DataType.isNull(type);
  if (data.nullCount === 0 && !isNull) return { isString, text, number };
  const isValid = (row: number) => !isNull && data.getValid(row);
  return {
    isString,
    text: (row) => (isValid(row) ? text(row) : null),
    number: (row) => (isValid(row) ? number(row) : undefined),
  };
}

type Texts = Pick<Cells, 'isString' | 'text'>;
const unquoted = (text: Texts['text']): Texts => ({ isString: false, text });
const quoted = (text: Texts['text']): Texts => ({ isString: true, text });

/** The texts of the rows that have a value. A dictionary entry may itself be null. */
function textsOf(data: Data): Texts {
  const { type, values, stride } = data;
  if (DataType.isDictionary(type)) return dictionaryCells(data);
  if (isText(type)) {
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    return quoted((row) =>
      bytes.toString('latin1', Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1])),
    );
  }
  if (DataType.isBool(type)) return unquoted((row) => String((values[row >> 3] & (1 << (row & 7))) !== 0));
  if (DataType.isDecimal(type))
    return unquoted((row) => decimalText(values, row * stride, stride, type.scale));
  if (DataType.isDate(type)) {
    const unitsPerDay = type.unit === DateUnit.DAY ? 1 : 1000 * SECONDS_PER_DAY;
    return quoted((row) => dateText(values[row], unitsPerDay));
  }
  if (DataType.isTimestamp(type)) {
    const zone = type.timezone ? 'Z' : '';
    return quoted((row) => timestampText(values[row], type.unit, zone));
  }
  if (DataType.isTime(type)) return quoted((row) => timeText(BigInt(values[row]), type.unit));
  if (DataType.isFloat(type)) {
    const textOf = type.precision === Precision.DOUBLE ? float64Text : float32Text;
    return unquoted((row) => textOf(values[row]));
  }
  return unquoted((row) => String(values[row])); // integers
}

/** The length of the text of a row in bytes; undefined for columns of other types, and for dictionaries. */
export function textLength(data: Data): ((row: number) => number) | undefined {
  const { type, valueOffsets } = data;
  if (DataType.isUtf8View(type)) {
    const bytesOf = viewReader(data);
    return (row) => bytesOf(row)?.length ?? 0;
  }
  if (!isText(type)) return undefined;
  return (row) => Number(valueOffsets[row + 1]) - Number(valueOffsets[row]);
}

function dictionaryCells({ values, dictionary }: Data): Texts {
  // Deltas add arrays to a dictionary.
  const arrays = (dictionary?.data ?? []).map((array) => ({ length: array.length, cells: cellsOf(array) }));
  const textAt = (index: number): string | null => {
    let at = index;
    for (const { length, cells } of arrays) {
      if (at < length) return cells.text(at);
      at -= length;
    }
    return null;
  };
  const known = new Map<number, string | null>();
  const text = (row: number) => {
    const index = Number(values[row]);
    const value = known.get(index) ?? textAt(index);
    known.set(index, value);
    return value;
  };
  return { isString: arrays.some(({ cells }) => cells.isString), text };
}

/** Below this, float32 has fewer significant digits. */
const MIN_NORMAL = 2 ** -126;

/** The shortest decimal that is the same float64, with the sign of -0. */
function float64Text(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The shortest decimal that is the same float32. */
function float32Text(value: number): string {
  if (value === 0) return float64Text(value);
  let digits = Math.abs(value) < MIN_NORMAL ? 1 : 6;
  while (digits < 9 && Math.fround(Number(value.toPrecision(digits))) !== value) digits++;
  return String(Number(value.toPrecision(digits)));
}

/** @param words little endian two's complement, `count` of them from `first` on */
function decimalText(words: Uint32Array, first: number, count: number, scale: number): string {
  let integer = 0n;
  for (let i = count - 1; i >= 0; i--) integer = (integer << 32n) | BigInt(words[first + i]);
  integer = BigInt.asIntN(32 * count, integer);
  if (scale <= 0) return String(integer * 10n ** BigInt(-scale));
  const digits = String(integer < 0n ? -integer : integer).padStart(scale + 1, '0');
  return `${integer < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const SECONDS_PER_DAY = 86_400;
/** The farthest from 1970 that a Date can be. */
const MAX_DATE_SECONDS = 8.64e12;

/** ISO 8601 to the second; undefined beyond what a Date holds. */
function isoText(seconds: number): string | undefined {
  if (Math.abs(seconds) > MAX_DATE_SECONDS) return undefined;
  return new Date(1000 * seconds).toISOString().slice(0, -'.000Z'.length);
}

/** @param value days or milliseconds */
function dateText(value: number | bigint, unitsPerDay: number): string {
  const days = Math.floor(Number(value) / unitsPerDay);
  return isoText(days * SECONDS_PER_DAY)?.slice(0, -'T00:00:00'.length) ?? String(value);
}

/** ISO 8601 with all digits of the unit, from seconds to nanoseconds. */
function timestampText(value: bigint, unit: TimeUnit, zone: string): string {
  const perSecond = 1000n ** BigInt(unit);
  const fraction = ((value % perSecond) + perSecond) % perSecond;
  const text = isoText(Number((value - fraction) / perSecond));
  return text === undefined ? String(value) : text + fractionText(fraction, unit) + zone;
}

function timeText(value: bigint, unit: TimeUnit): string {
  const perSecond = 1000n ** BigInt(unit);
  if (value < 0n || value >= perSecond * BigInt(SECONDS_PER_DAY)) return String(value);
  const text = isoText(Number(value / perSecond))?.slice('1970-01-01T'.length) ?? '';
  return text + fractionText(value % perSecond, unit);
}

function fractionText(fraction: bigint, unit: TimeUnit): string {
  return unit === 0 ? '' : `.${String(fraction).padStart(3 * unit, '0')}`;
}
