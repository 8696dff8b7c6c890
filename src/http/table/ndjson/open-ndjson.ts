import { show } from '../../errors/shown-value.js';
import { JsonError, OPEN_ARRAY, OPEN_OBJECT, skipSpace } from '../../request/json.js';
import { checkNameBytes, MAX_COLUMNS, readPositions } from '../columns.js';
import type { TableRequest } from '../table-contract.js';
import { checkRowCount, notATable, wrongLine } from '../table-errors.js';
import { lineAt, MAX_ROW_BYTES, OffsetList, textEnd, textStart } from '../text/lines.js';
import { ColumnTypes } from './column-types.js';
import { NdjsonSource } from './ndjson-source.js';
import { ObjectColumns } from './object-columns.js';

const LINE_FEED = 0x0a;
const YIELD_BYTES = 2 ** 20;

/**
 * Checks a table of JSON objects, one a line. Its columns are the union of their names.
 * @throws ApiError invalid_request, batch_too_large
 */
export function* openNdjson(
  body: Buffer,
  { rowLimit, tier }: TableRequest,
): Generator<undefined, NdjsonSource, undefined> {
  const columns = new ObjectColumns();
  const types = new ColumnTypes();
  const rows = new OffsetList(rowLimit);
  let nextYield = YIELD_BYTES;
  const first = textStart(body);
  const text = body.subarray(0, textEnd(body, first, true));
  for (let start = first, end: number; start < text.length; start = end) {
    end = text.indexOf(LINE_FEED, start) + 1 || text.length;
    const at = skipSpace(text, start);
    if (at >= end && end === text.length) break;
    if (at >= end) throw wrongLine(lineAt(body, start), 'is blank: remove it');
    if (end - start > MAX_ROW_BYTES)
      throw wrongLine(lineAt(body, start), `has more than ${MAX_ROW_BYTES} bytes`);
    checkObject(body, start, at, end, columns);
    types.add(body, columns);
    rows.add(start);
    rows.end = end;
    if (end < nextYield) continue;
    nextYield = end + YIELD_BYTES;
    yield;
  }
  if (rows.count === 0) throw notATable('it has no rows: write one JSON object a line');
  const positions = readPositions(columns.names);
  checkRowCount(rows.count, rowLimit, tier);
  return new NdjsonSource(body, rows, columns, positions, types);
}

/** @param at where the first value of the line [start, end) starts */
function checkObject(body: Buffer, start: number, at: number, end: number, columns: ObjectColumns): void {
  if (body[at] !== OPEN_OBJECT) {
    const remedy =
      body[at] === OPEN_ARRAY ? ': write one object a line, without brackets and commas around them' : '';
    throw wrongLine(lineAt(body, start), `is not a JSON object${remedy}`);
  }
  const line = body.subarray(0, end);
  try {
    const after = skipSpace(line, columns.scan(line, at));
    if (after < end) throw new JsonError(after);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const problem =
      error.offset < end - 1
        ? `is not JSON at byte ${error.offset - start + 1}`
        : 'is not a whole JSON object';
    throw wrongLine(lineAt(body, start), `${problem}: write each object on one line`);
  }
  checkColumns(body, start, columns);
}

function checkColumns(body: Buffer, start: number, columns: ObjectColumns): void {
  const { doubled, malformed, names, nameBytes } = columns;
  if (malformed !== -1)
    throw wrongLine(
      lineAt(body, start),
      `has the field ${show(names[malformed])}, whose name has half of a surrogate pair: rename it`,
    );
  if (doubled !== -1) throw wrongLine(lineAt(body, start), `has the field ${show(names[doubled])} twice`);
  if (names.length > MAX_COLUMNS)
    throw wrongLine(
      lineAt(body, start),
      `has the ${names.length}th column of the table, which may have at most ${MAX_COLUMNS}`,
    );
  checkNameBytes(nameBytes); // now: the names of many tables are kept while these are checked
}
