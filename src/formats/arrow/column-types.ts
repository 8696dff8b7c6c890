import { DataType, DateUnit, type Field, Precision, type Schema, TimeUnit, Type } from 'apache-arrow';
import { show } from '../errors/shown-value.js';
import { tableError } from '../table/table-request.js';
import { readType } from './text-views.js';

const INTEGER_BITS: readonly number[] = [8, 16, 32, 64];
/** The most digits of a decimal, by its bits. */
const DECIMAL_DIGITS: Readonly<Record<number, number>> = { 32: 9, 64: 18, 128: 38 };
const MAX_SCALE = 38;
const MAX_FIXED_BYTES = 2 ** 20;

/** @throws ApiError naming a column of an unsupported type; the flat types of data frames are supported */
export function checkTypes({ fields }: Schema): void {
  for (const { name, type } of fields) {
    if (!isRead(readType(type), true))
      throw typeError(name, type, 'which is not supported: cast or remove it');
  }
}

/** @param problem of the type, and what would be right */
export function typeError(name: string, type: DataType, problem: string): Error {
  return tableError(`its column ${show(name)} has the type ${typeName(type)}, ${problem}`, name);
}

/** @param isColumn whether it may be a dictionary: no dictionary is within another */
function isRead(type: DataType, isColumn: boolean): boolean {
  if (DataType.isDictionary(type))
    return isColumn && isRead(type.indices, false) && isRead(readType(type.dictionary), false);
  // A damaged schema may have any number for a unit.
  if (DataType.isDate(type)) return type.unit in DateUnit;
  if (DataType.isTimestamp(type)) return type.unit in TimeUnit;
  if (DataType.isTime(type)) return type.unit in TimeUnit && (type.bitWidth === 32 || type.bitWidth === 64);
  if (DataType.isInt(type)) return INTEGER_BITS.includes(type.bitWidth);
  if (DataType.isFloat(type))
    return type.precision === Precision.SINGLE || type.precision === Precision.DOUBLE;
  if (DataType.isFixedSizeBinary(type)) return isWithin(type.byteWidth, 1, MAX_FIXED_BYTES);
  if (DataType.isDecimal(type))
    return (
      isWithin(type.precision, 1, DECIMAL_DIGITS[type.bitWidth] ?? 0) &&
      isWithin(type.scale, -MAX_SCALE, MAX_SCALE)
    );
  return DataType.isNull(type) || DataType.isBool(type) || hasOffsets(type);
}

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

export function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type);
}

/** Whether values are texts or bytes of any length. */
export function hasOffsets(type: DataType): boolean {
  return isText(type) || DataType.isBinary(type) || DataType.isLargeBinary(type);
}

/** Whether a column can be written as text; of a dictionary, its values. */
export function isWritable(field: Field): boolean {
  const type = DataType.isDictionary(field.type) ? field.type.dictionary : field.type;
  return !DataType.isBinary(type) && !DataType.isLargeBinary(type) && !DataType.isFixedSizeBinary(type);
}
