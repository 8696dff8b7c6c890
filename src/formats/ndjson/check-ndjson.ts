import { show } from '../../prediction/errors/shown-value.js';
import { JsonError, OPEN_OBJECT, skipSpace } from '../request/json.js';
import { checkNameBytes, MAX_COLUMNS, readPositions } from '../table/input-columns.js';
import {
  checkRowCount,
  lineError,
  maxRowsOf,
  type TableRequest,
  type TableState,
  tableError,
} from '../table/table-request.js';
import { ChunkList, LINE_FEED, lineAt, MAX_ROW_BYTES, textEnd, textStart } from '../text/lines.js';
import { ObjectColumns } from './object-columns.js';

/** Bytes that are scanned between two looks at the time. */
const LOOK_BYTES = 2 ** 16;

export interface NdjsonState extends TableState {
  readonly format: 'ndjson';
  /** Where the next row starts. */
  readonly at: number;
  /** The names of the columns so far as they are written between quotes, and the kinds of their values. */
  readonly written: readonly string[];
  readonly kinds: number[];
}

/**
 * Checks some more of a table of JSON objects, one a line. Its columns are the union of their names.
 * @param before how far the check has come
 * @throws ApiError invalid_request, batch_too_large
 */
export function checkNdjson(
  body: Buffer,
  request: TableRequest,
  before: NdjsonState | undefined,
  isTimeUp: () => boolean,
): NdjsonState {
  const columns = new ObjectColumns(before?.written, before?.kinds);
  const list = new ChunkList(before, request.rowLimit);
  let at = before?.at ?? textStart(body);
  const text = body.subarray(0, textEnd(body, at, true));
  for (let nextLook = at + LOOK_BYTES; at < text.length; ) {
    const end = text.indexOf(LINE_FEED, at) + 1 || text.length;
    const first = skipSpace(text, at);
    if (first >= end && end < text.length) throw lineError(lineAt(body, at), 'is blank: remove it');
    if (first < end) {
      if (end - at > MAX_ROW_BYTES) throw lineError(lineAt(body, at), `has more than ${MAX_ROW_BYTES} bytes`);
      checkObject(body, at, first, end, columns);
      columns.addKinds(body);
      list.add(at, end, maxRowsOf(columns.names, request));
    }
    at = end;
    if (at < nextLook) continue;
    if (isTimeUp()) break;
    nextLook = at + LOOK_BYTES;
  }
  const { chunks, rowCount } = list;
  const isChecked = at >= text.length;
  if (isChecked) {
    if (rowCount === 0) throw tableError('it has no rows: write one JSON object a line');
    readPositions(columns.names);
    checkRowCount(rowCount, request);
  }
  const { written, kinds } = columns;
  return { format: 'ndjson', at, written, kinds, chunks, rowCount, isChecked };
}

/** @param at where the first value of the line [start, end) starts */
function checkObject(body: Buffer, start: number, at: number, end: number, columns: ObjectColumns): void {
  const refuse = (problem: string) => lineError(lineAt(body, start), problem);
  if (body[at] !== OPEN_OBJECT)
    throw refuse('is not a JSON object: write one object a line, without brackets and commas around them');
  const line = body.subarray(0, end);
  try {
    const after = skipSpace(line, columns.scan(line, at));
    if (after < end) throw new JsonError(after);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const isCut = error.offset >= end - 1;
    const problem = isCut ? 'is not a whole JSON object' : `is not JSON at byte ${error.offset - start + 1}`;
    throw refuse(`${problem}: write each object on one line`);
  }
  const { doubled, malformed, names, nameBytes } = columns;
  if (malformed !== -1)
    throw refuse(
      `has the field ${show(names[malformed])}, whose name has half of a surrogate pair: rename it`,
    );
  if (doubled !== -1) throw refuse(`has the field ${show(names[doubled])} twice`);
  if (names.length > MAX_COLUMNS)
    throw refuse(`has the ${names.length}th column of the table, which may have at most ${MAX_COLUMNS}`);
  checkNameBytes(nameBytes); // now: the names of many tables are kept while these are checked
}
