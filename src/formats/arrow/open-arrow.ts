import { type Data, DataType, type Field, Schema, Vector } from 'apache-arrow';
import { memoize } from '../../prediction/predictor-data.js';
import { isOptional, READ_COLUMNS, type ReadPositions, readPositions } from '../table/input-columns.js';
import {
  checkRowCount,
  type TableFormat,
  type TableRequest,
  type TableState,
  tableError,
} from '../table/table-request.js';
import type { TableReader } from '../table/table-source.js';
import { MAX_ROW_BYTES } from '../text/lines.js';
import { ArrowSource, type StreamBatch } from './arrow-source.js';
import { textLength } from './cells.js';
import { checkTypes, isText, isWritable, typeError, typeName } from './column-types.js';
import { columnLoader, type Dictionaries, type DictionaryBatch } from './load-columns.js';
import { ALIGNMENT, damaged, messagesOf } from './messages.js';
import { readSchema } from './text-views.js';

/** Most record batches, and most dictionary batches. */
const MAX_BATCHES = 10_000;
/** Most deltas of a dictionary: each time that one is added, the list of all is copied. */
const MAX_DICTIONARY_DELTAS = 100;
/** Most values of a dictionary batch. Nulls have no bytes: without a limit, a stream could claim any number of them. */
const MAX_DICTIONARY_VALUES = 2 ** 24;

interface ArrowState extends TableState {
  /** The record batch to be checked next. */
  readonly batch: number;
}

/** Reads an Arrow stream. @throws ApiError as `openArrow` */
export function arrowReader(upload: Uint8Array, request: TableRequest): TableReader {
  const { output, chunkRows } = request;
  const source = openArrow(upload, request);
  return {
    check(before: ArrowState | undefined, isTimeUp): ArrowState {
      const { species_code, planting_method } = readPositions(source.names);
      let batch = before?.batch ?? 0;
      while (batch < source.batches.length) {
        const where = `record batch ${batch + 1}`;
        const columns = source.load(source.batches[batch++], where);
        if (output === 'arrow') checkDictionaries([columns[species_code], columns[planting_method]], '');
        else {
          checkRowTexts(columns, where);
          checkDictionaries(columns, ', or ask for an Arrow stream');
        }
        if (isTimeUp()) break;
      }
      const isChecked = batch === source.batches.length;
      const chunks = isChecked ? [...source.chunks(chunkRows)] : [];
      return { batch, chunks, rowCount: source.rowCount, isChecked };
    },
    source: () => source,
  };
}

/** Reads the schema and dictionaries of an Arrow stream, and where its record batches are. @throws ApiError */
function openArrow(upload: Uint8Array, request: TableRequest): ArrowSource {
  const { output } = request;
  const stream = upload.byteOffset % ALIGNMENT === 0 ? upload : new Uint8Array(upload);
  const messages = messagesOf(stream);
  const first = messages.next();
  if (first.done || !first.value.message.isSchema())
    throw tableError('the Arrow stream does not begin with a schema');
  const { message: head } = first.value;
  const { fields, metadata, dictionaries: types } = headerOf(() => head.header(), 'the schema');
  // The library does not write an empty name, and reads it as null.
  const named = fields.map((field: Field) => field.clone(field.name ?? ''));
  const schema = new Schema(named, metadata, types);
  const positions = readPositions(schema.fields.map(({ name }) => name));
  checkTypes(schema);
  checkReadColumns(readSchema(schema), positions);
  if (output !== 'arrow') checkWritable(schema, output);

  const sent = new Map<number, Vector>();
  /** A copy of them, which record batches share until the next dictionary is sent. */
  let dictionaries: Dictionaries | undefined;
  let dictionaryCount = 0;
  const batches: StreamBatch[] = [];
  let rowCount = 0;
  for (const { message, at, body } of messages) {
    if (message.isDictionaryBatch()) {
      const where = `dictionary batch ${++dictionaryCount}`;
      if (dictionaryCount > MAX_BATCHES) throw tooMany('dictionary batches');
      const header = headerOf(() => message.header(), where);
      sent.set(header.id, readDictionary(sent, header, body, schema, where));
      dictionaries = undefined;
      continue;
    }
    if (!message.isRecordBatch()) throw tableError('the Arrow stream has a second schema');
    const where = `record batch ${batches.length + 1}`;
    if (batches.length === MAX_BATCHES) throw tooMany('record batches');
    const { length } = headerOf(() => message.header(), where);
    dictionaries ??= new Map(sent);
    batches.push({ at, dictionaries, firstRow: rowCount, rowCount: length, bytes: body.length });
    rowCount += length;
  }
  checkRowCount(rowCount, request);
  return new ArrowSource(stream, schema, batches, rowCount);
}

/** What the library decodes of a message. @throws ApiError where it cannot */
function headerOf<Header>(decode: () => Header, where: string): Header {
  try {
    return decode();
  } catch {
    throw damaged(where, 'its metadata is damaged, or it has an unsupported type');
  }
}

/**
 * Reads a dictionary batch: a delta extends the dictionary that was sent with its id, any other replaces it.
 * @throws ApiError invalid_request
 */
function readDictionary(
  sent: Dictionaries,
  { id, isDelta, data }: DictionaryBatch,
  body: Uint8Array,
  schema: Schema,
  where: string,
): Vector {
  const type = schema.dictionaries.get(id);
  if (type === undefined) throw damaged(where, `the schema has no dictionary ${id}`);
  const values = columnLoader(where, data, body, new Map()).loadDictionary(type);
  if (values.length > MAX_DICTIONARY_VALUES)
    throw damaged(where, `it has ${values.length} values, and may have at most ${MAX_DICTIONARY_VALUES}`);
  const before = isDelta ? (sent.get(id)?.data ?? []) : [];
  if (before.length >= MAX_DICTIONARY_DELTAS)
    throw damaged(
      where,
      `dictionary ${id} has more than ${MAX_DICTIONARY_DELTAS} deltas: send it as a whole`,
    );
  return new Vector([...before, values] as Data[]);
}

function tooMany(what: string): Error {
  return tableError(`the Arrow stream has more than ${MAX_BATCHES} ${what}: write larger ones`);
}

/**
 * Most bytes that the texts of dictionaries may add to a row of text. A dictionary has a text once that any number of rows
 * may refer to, so that a small stream could cause a huge answer.
 */
const MAX_DICTIONARY_TEXT_BYTES = 2 ** 14;

/** @param columns whose texts are read or written for every row */
function checkDictionaries(columns: readonly Data[], remedy: string): void {
  const bytes = columns.reduce((sum, { dictionary }) => sum + (dictionary ? longestText(dictionary) : 0), 0);
  if (bytes > MAX_DICTIONARY_TEXT_BYTES)
    throw tableError(
      `the dictionaries of its columns add up to ${bytes} bytes per row, and may have at most ${MAX_DICTIONARY_TEXT_BYTES}: ` +
        `send these columns as utf8${remedy}`,
    );
}

/** A row is written as one text. */
function checkRowTexts(columns: readonly Data[], where: string): void {
  const lengths = columns.flatMap((column) => textLength(column) ?? []);
  for (let row = 0; row < columns[0].length; row++) {
    let bytes = 0;
    for (const length of lengths) bytes += length(row);
    if (bytes > MAX_ROW_BYTES)
      throw tableError(
        `row ${row + 1} of ${where} has texts of ${bytes} bytes, and may have at most ${MAX_ROW_BYTES}: ask for an Arrow stream`,
      );
  }
}

/** The bytes of the longest text of a dictionary; 0 for one of other values. */
const longestText = memoize((dictionary: Vector) => {
  let longest = 0;
  for (const values of dictionary.data) {
    const lengthOf = textLength(values);
    if (lengthOf === undefined) continue;
    for (let row = 0; row < values.length; row++) longest = Math.max(longest, lengthOf(row));
  }
  return longest;
});

const NUMBERS = 'numbers (integers, floating-point numbers or decimals)';
const TEXTS = 'texts (utf8, large_utf8 or a dictionary of them)';

function checkReadColumns({ fields }: Schema, positions: ReadPositions): void {
  for (const column of READ_COLUMNS) {
    if (positions[column] === -1) continue;
    const { type } = fields[positions[column]];
    const isCode = column === 'species_code' || column === 'planting_method';
    const isRight = isCode
      ? isText(DataType.isDictionary(type) ? type.dictionary : type)
      : isNumber(type) || (isOptional(column) && DataType.isNull(type));
    if (isRight) continue;
    throw tableError(
      `its column ${column} has the type ${typeName(type)}, but must have ${isCode ? TEXTS : NUMBERS}: cast it`,
      column,
    );
  }
}

function isNumber(type: DataType): boolean {
  return DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
}

function checkWritable({ fields }: Schema, output: TableFormat): void {
  const field = fields.find((other: Field) => !isWritable(other));
  if (field === undefined) return;
  const format = output === 'csv' ? 'CSV' : 'JSON lines';
  const problem = `which is not written as ${format}: remove it, or ask for an Arrow stream`;
  throw typeError(field.name, field.type, problem);
}
