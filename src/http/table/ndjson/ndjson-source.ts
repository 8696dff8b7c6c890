import { type Data, Field } from 'apache-arrow';
import { CLOSE_OBJECT, numberAt, OPEN_OBJECT, QUOTE, skipSpace } from '../../request/json.js';
import { BooleanColumn, NumberColumn } from '../arrow/column-builders.js';
import type { ReadColumn, ReadPositions } from '../columns.js';
import { writeCsvCell } from '../csv/csv-cell.js';
import type { RowChecks, StatedSite } from '../row-checks.js';
import type { TableSites } from '../table-contract.js';
import { JOB_CELLS, type RowRange, type TableSource, type UploadedRows } from '../table-source.js';
import { toLatin1 } from '../text/latin1.js';
import type { OffsetList } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import type { ColumnTypes } from './column-types.js';
import { type ObjectColumns, unquoted } from './object-columns.js';

const [LETTER_N, LETTER_T] = Buffer.from('nt');

/** A table of JSON objects whose grammar was checked. */
export class NdjsonSource implements TableSource {
  readonly rowCount: number;
  readonly names: readonly string[];
  readonly lineEnd = '\n';

  constructor(
    private readonly body: Buffer,
    private readonly offsets: OffsetList,
    private readonly columns: ObjectColumns,
    private readonly positions: ReadPositions,
    private readonly types: ColumnTypes,
  ) {
    this.rowCount = offsets.count;
    this.names = columns.names;
  }

  jobs(maxRows: number): Iterable<RowRange> {
    return this.offsets.jobs(Math.min(maxRows, Math.ceil(JOB_CELLS / this.names.length)));
  }

  arrowFields(): Field[] {
    return this.names.map((name, column) => new Field(name, this.types.builder(column, 0).type, true));
  }

  arrowMetadata(): ReadonlyMap<string, string> {
    return new Map();
  }

  sites(from: number, count: number, checks: RowChecks): TableSites {
    const { latitude, longitude, species_code, planting_method, elevation_m } = this.positions;
    const rows = checks.rows(count, elevation_m !== -1);
    const positions = new Uint16Array(count);
    let valid = 0;
    for (let i = 0; i < count; i++) {
      this.scan(from + i);
      const isValid = checks.write(
        rows,
        valid,
        this.#number(latitude),
        this.#number(longitude),
        checks.speciesOf(this.#code(species_code)),
        checks.methodOf(this.#code(planting_method)),
        elevation_m === -1 ? Number.NaN : this.#elevation(elevation_m),
      );
      if (isValid) positions[valid++] = i;
    }
    return { rows: valid === count ? rows : rows.first(valid), positions: positions.subarray(0, valid) };
  }

  stated(row: number): StatedSite {
    this.scan(row);
    const site: StatedSite = {};
    for (const [name, column] of Object.entries(this.positions) as [ReadColumn, number][]) {
      const start = column === -1 ? 0 : this.columns.starts[column];
      if (start === 0) continue;
      const isNone = name === 'elevation_m' && this.body[start] === LETTER_N;
      if (!isNone) site[name] = JSON.parse(this.body.toString('utf8', start, this.columns.ends[column]));
    }
    return site;
  }

  run(from: number, count: number): UploadedRows {
    return {
      arrowParts: () => [{ rowCount: count, columns: this.#arrowColumns(from, count) }],
      writeCsv: (writer, row) => this.#writeCsv(writer, from + row),
      writeJson: (writer, row) => this.#copyMembers(writer, from + row),
    };
  }

  /** Finds the values of a row. */
  scan(row: number): void {
    this.columns.scan(this.body, skipSpace(this.body, this.offsets.start(row)));
  }

  #number(column: number): number {
    const start = this.columns.starts[column];
    return start === 0 ? Number.NaN : numberAt(this.body, start);
  }

  #elevation(column: number): number {
    const start = this.columns.starts[column];
    if (start === 0 || this.body[start] === LETTER_N) return Number.NaN;
    const elevationM = numberAt(this.body, start);
    return Number.isNaN(elevationM) ? Number.POSITIVE_INFINITY : elevationM;
  }

  /** A text as far as it can be a code; '' for any other value. */
  #code(column: number): string {
    const isText = this.body[this.columns.starts[column]] === QUOTE; // not so at 0, where the body starts
    return isText ? (this.#text(column) ?? '') : '';
  }

  /** The value of a column in the row scanned last, as text: latin1 that holds UTF-8. Null for none. */
  #text(column: number): string | null {
    const start = this.columns.starts[column];
    if (start === 0 || this.body[start] === LETTER_N) return null;
    const end = this.columns.ends[column];
    if (this.body[start] !== QUOTE) return this.body.toString('latin1', start, end);
    const text = this.body.toString('latin1', start + 1, end - 1);
    return text.includes('\\') ? toLatin1(unquoted(this.body.toString('utf8', start + 1, end - 1))) : text;
  }

  #writeCsv(writer: RowWriter, row: number): void {
    this.scan(row);
    for (let column = 0; column < this.names.length; column++) {
      if (column > 0) writer.writeBytes(',');
      writeCsvCell(writer, this.#text(column) ?? '');
    }
  }

  #copyMembers(writer: RowWriter, row: number): void {
    const start = this.body.indexOf(OPEN_OBJECT, this.offsets.start(row));
    const end = this.body.lastIndexOf(CLOSE_OBJECT, this.offsets.start(row + 1) - 1);
    writer.copy(this.body, start, end);
    if (skipSpace(this.body, start + 1) < end) writer.writeBytes(',');
  }

  #arrowColumns(from: number, count: number): Data[] {
    const { starts } = this.columns;
    const columns = this.names.map((_, column) => this.types.builder(column, count));
    for (let row = 0; row < count; row++) {
      this.scan(from + row);
      columns.forEach((builder, column) => {
        const start = starts[column];
        if (start === 0 || this.body[start] === LETTER_N) builder.clear(row);
        else if (builder instanceof NumberColumn) builder.values[row] = numberAt(this.body, start);
        else if (builder instanceof BooleanColumn) builder.set(row, this.body[start] === LETTER_T);
        else builder.set(row, this.#text(column) ?? '');
      });
    }
    return columns.map((builder) => builder.data());
  }
}
