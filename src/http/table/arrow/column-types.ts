import { DataType, DateUnit, type Field, IntervalUnit, Precision, type Schema, Type } from 'apache-arrow';
import { show } from '../../errors/shown-value.js';
import { notATable } from '../table-errors.js';
import { readType } from './text-views.js';

const INTEGER_BITS: readonly number[] = [8, 16, 32, 64];
const DECIMAL_BITS: readonly number[] = [32, 64, 128, 256];
/** Most digits of a decimal. */
const MAX_DECIMAL_DIGITS = 76;
const MAX_FIXED_BYTES = 2 ** 20;

/** Types whose values are as long as each other: the bytes of a value; undefined for other types. */
export function valueBytes(type: DataType): number | undefined {
  if (DataType.isInt(type) || DataType.isTime(type) || DataType.isDecimal(type)) return type.bitWidth / 8;
  if (DataType.isFloat(type)) return 2 << type.precision;
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY ? 4 : 8;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return 8;
  if (DataType.isInterval(type)) return 4 * [1, 2, 4][type.unit];
  return DataType.isFixedSizeBinary(type) ? type.byteWidth : undefined;
}

/**
 * Checks that every column has a type that is read.
 * @throws ApiError invalid_request naming the column
 */
export function checkTypes({ fields }: Schema): void {
  for (const field of fields) {
    const type = readType(field.type);
    const problem = problemOf(type, DataType.isDictionary(type));
    if (problem !== undefined)
      throw notATable(`its column ${show(field.name)} ${problem}: cast or remove it`, field.name);
  }
}

/** What is wrong with a type, as the rest of a sentence. */
function problemOf(type: DataType, isColumnDictionary: boolean): string | undefined {
  if (DataType.isDictionary(type)) {
    if (!isColumnDictionary) return 'has dictionaries within its values, which are not read';
    const { indices, dictionary } = type;
    if (dictionary.children?.length > 0 || DataType.isDictionary(dictionary))
      return `is a dictionary of ${typeName(dictionary)}, which is not read`;
    return problemOf(indices, false) ?? problemOf(readType(dictionary), false);
  }
  const isRead =
    READ_TYPES.has(type.typeId) &&
    (!DataType.isInt(type) || INTEGER_BITS.includes(type.bitWidth)) &&
    (!DataType.isFloat(type) || type.precision in Precision) &&
    (!DataType.isTime(type) || type.bitWidth === 32 || type.bitWidth === 64) &&
    (!DataType.isInterval(type) || type.unit in IntervalUnit) &&
    (!DataType.isFixedSizeBinary(type) || isWithin(type.byteWidth, 1, MAX_FIXED_BYTES)) &&
    (!DataType.isFixedSizeList(type) || isWithin(type.listSize, 1, MAX_FIXED_BYTES)) &&
    (!DataType.isDecimal(type) ||
      (DECIMAL_BITS.includes(type.bitWidth) &&
        isWithin(type.scale, -MAX_DECIMAL_DIGITS, MAX_DECIMAL_DIGITS)));
  if (!isRead) return `has the type ${typeName(type)}, which is not read`;
  for (const child of type.children ?? []) {
    const problem = child === undefined ? 'has no type for its values' : problemOf(child.type, false);
    if (problem !== undefined) return problem;
  }
  const childless = DataType.isList(type) || DataType.isFixedSizeList(type) || DataType.isMap(type);
  return childless && type.children?.[0] === undefined ? 'has no type for its values' : undefined;
}

const READ_TYPES: ReadonlySet<Type> = new Set([
  Type.Null,
  Type.Int,
  Type.Float,
  Type.Binary,
  Type.Utf8,
  Type.Bool,
  Type.Decimal,
  Type.Date,
  Type.Time,
  Type.Timestamp,
  Type.Interval,
  Type.List,
  Type.Struct,
  Type.FixedSizeBinary,
  Type.FixedSizeList,
  Type.Map,
  Type.Duration,
  Type.LargeBinary,
  Type.LargeUtf8,
  Type.LargeList,
]);

function isWithin(value: number, minimum: number, maximum: number): boolean {
  return value >= minimum && value <= maximum;
}

const SHOWN_CHARACTERS = 60;

/** A type as messages name it. */
export function typeName(type: DataType): string {
  try {
    return String(type).slice(0, SHOWN_CHARACTERS);
  } catch {
    return Type[type.typeId]; // the library cannot show a list that has no type for its values
  }
}

/** A list whose values are found by offsets, and a map, which is one. */
export function isOffsetList(type: DataType): boolean {
  return DataType.isList(type) || DataType.isLargeList(type) || DataType.isMap(type);
}

export function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type);
}

/** Bytes or texts, found by offsets. */
export function isOffsetBytes(type: DataType): boolean {
  return isText(type) || DataType.isBinary(type) || DataType.isLargeBinary(type);
}

/** Whether offsets have 64 bits. */
export function isLarge(type: DataType): boolean {
  return DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) || DataType.isLargeList(type);
}

/** Whether a column can be written as text; of a dictionary, its values. */
export function isWritable(field: Field): boolean {
  const type = DataType.isDictionary(field.type) ? field.type.dictionary : field.type;
  const isBytes = DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isFixedSizeBinary(type);
  return !isBytes && !DataType.isInterval(type) && !(type.children?.length > 0);
}
