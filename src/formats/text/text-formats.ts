import { csvCell } from '../csv/quoted-cell.js';
import { ourColumns, PLACE_COLUMNS } from '../table/columns.js';
import type { TableRequest } from '../table/table-contract.js';
import type { TableSource } from '../table/table-source.js';
import type { TextFormat } from './text-output.js';

/** CSV with a header line and the line ends of the uploaded table. */
export function csvFormat(
  { names, lineEnd }: TableSource,
  { horizons, intervals }: TableRequest,
): TextFormat {
  return {
    head: [...names, ...ourColumns(horizons, intervals)].map(csvCell).join(',') + lineEnd,
    writeUploaded: (rows, writer, row) => rows.writeCsv(writer, row),
    before: () => ',',
    text: csvCell,
    nothing: '',
    after: lineEnd,
  };
}

/** Objects, one a line. */
export const NDJSON: TextFormat = {
  head: '',
  writeUploaded: (rows, writer, row) => rows.writeJson(writer, row),
  before: (name) => `${name === PLACE_COLUMNS[0] ? '' : ','}${JSON.stringify(name)}:`,
  text: (value) => JSON.stringify(value),
  nothing: 'null',
  after: '}\n',
};
