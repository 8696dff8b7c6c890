import { show } from '../../prediction/errors/shown-value.js';
import { JsonError, OPEN_OBJECT, skipSpace } from '../request/json.js';
import { checkNameBytes, MAX_COLUMNS, readPositions } from '../table/input-columns.js';
import { type TableRequest, tableError } from '../table/table-request.js';
import type { TableReader } from '../table/table-source.js';
import { LINE_FEED, MAX_ROW_BYTES, TextCheck, type TextState } from '../text/lines.js';
import { ndjsonSource } from './ndjson-source.js';
import { ObjectColumns } from './object-columns.js';

/** Bytes that are scanned between two looks at the time, about. */
const LOOK_BYTES = 2 ** 16;

interface NdjsonState extends TextState {
  /** The names of the columns so far as they are written between quotes, and the kinds of their values. */
  readonly written: readonly string[];
  readonly kinds: number[];
}

/** Reads a table of JSON objects, one a line. Its columns are the union of their names. */
export function ndjsonReader(body: Buffer, request: TableRequest): TableReader {
  return {
    check: (before: NdjsonState | undefined, isTimeUp) => checkNdjson(body, request, before, isTimeUp),
    source: ({ written, kinds }: NdjsonState) =>
      ndjsonSource(body, request, new ObjectColumns(written, kinds)),
  };
}

/** Checks some more of a table. @throws ApiError invalid_request, batch_too_large */
function checkNdjson(
  body: Buffer,
  request: TableRequest,
  before: NdjsonState | undefined,
  isTimeUp: () => boolean,
): NdjsonState {
  const check = new TextCheck(body, request, before, true);
  const { text } = check;
  const columns = new ObjectColumns(before?.written, before?.kinds);
  while (!check.isChecked) {
    const { at } = check;
    const end = text.indexOf(LINE_FEED, at) + 1 || text.length;
    const first = skipSpace(text, at);
    const refuse = (problem: string) => check.error(at, problem);
    if (first >= end && end < text.length) throw refuse('is blank: remove it');
    if (first < end) {
      if (end - at > MAX_ROW_BYTES) throw refuse(`has more than ${MAX_ROW_BYTES} bytes`);
      checkObject(body.subarray(0, end), at, first, columns, refuse);
      columns.addKinds(body);
      check.addRow(at, end, columns.names);
    }
    check.at = end;
    if (Math.floor(end / LOOK_BYTES) > Math.floor(at / LOOK_BYTES) && isTimeUp()) break;
  }
  if (check.isChecked) {
    if (check.rowCount === 0) throw tableError('it has no rows: write one JSON object a line');
    readPositions(columns.names);
  }
  const { written, kinds } = columns;
  return { ...check.end(), written, kinds };
}

/** @param lines end with the line to check @param start where it starts @param at where the first value in it starts */
function checkObject(
  lines: Buffer,
  start: number,
  at: number,
  columns: ObjectColumns,
  refuse: (problem: string) => Error,
): void {
  if (lines[at] !== OPEN_OBJECT)
    throw refuse('is not a JSON object: write one object a line, without brackets and commas around them');
  try {
    const after = skipSpace(lines, columns.scan(lines, at));
    if (after < lines.length) throw new JsonError(after);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const isCut = error.offset >= lines.length - 1;
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
