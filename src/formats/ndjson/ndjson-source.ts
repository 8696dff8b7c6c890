import { type Data, Field } from 'apache-arrow';
import { BooleanColumn, NumberColumn } from '../arrow/column-builders.js';
import { writeCsvCell } from '../csv/csv-cell.js';
import { CLOSE_OBJECT, numberAt, OPEN_OBJECT, QUOTE, skipSpace } from '../request/json.js';
import type { ReadColumn, ReadPositions } from '../table/columns.js';
import type { RowChecks, StatedSite } from '../table/row-checks.js';
import type { TableJob, TableSites } from '../table/table-contract.js';
import type { ArrowPart, JobRows, TableSource } from '../table/table-source.js';
import { toLatin1 } from '../text/latin1.js';
import { lineStarts, restOf } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import type { ColumnTypes } from './column-types.js';
import { type ObjectColumns, unquoted } from './object-columns.js';

const [LETTER_N, LETTER_T] = Buffer.from('nt');

/** A table of JSON objects whose grammar was checked. */
export class NdjsonSource implements TableSource {
  readonly names: readonly string[];
  readonly lineEnd = '\n';

  constructor(
    readonly body: Buffer,
    readonly columns: ObjectColumns,
    readonly positions: ReadPositions,
    readonly types: ColumnTypes,
    /** Most rows of a record batch: rows may have more columns than the first of their job had. */
    readonly partRows: number,
  ) {
    this.names = columns.names;
  }

  arrowFields(): Field[] {
    return this.names.map((name, column) => new Field(name, this.types.builder(column, 0).type, true));
  }

  arrowMetadata(): ReadonlyMap<string, string> {
    return new Map();
  }

  columnsBefore(): Data[] {
    return this.names.map((_, column) => this.types.builder(column, 0).data());
  }

  rows(job: TableJob): JobRows {
    return new NdjsonRows(this, job);
  }
}

/** Rows of a table of JSON objects. */
class NdjsonRows implements JobRows {
  private readonly body: Buffer;
  private readonly columns: ObjectColumns;
  private readonly positions: ReadPositions;
  /** Where each row starts in the body, and where the last one ends. */
  readonly #starts: Uint32Array;

  constructor(
    private readonly source: NdjsonSource,
    private readonly job: TableJob,
  ) {
    this.body = source.body;
    this.columns = source.columns;
    this.positions = source.positions;
    this.#starts = lineStarts(source.body, job);
  }

  rest(from: number): TableJob {
    return restOf(this.job, from, this.#starts[from]);
  }

  sites(checks: RowChecks): TableSites {
    const { count } = this.job;
    const { latitude, longitude, species_code, planting_method, elevation_m } = this.positions;
    const rows = checks.rows(count, elevation_m !== -1);
    const positions = new Uint16Array(count);
    let valid = 0;
    for (let i = 0; i < count; i++) {
      this.#scan(i);
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
    this.#scan(row);
    const site: StatedSite = {};
    for (const [name, column] of Object.entries(this.positions) as [ReadColumn, number][]) {
      const start = column === -1 ? 0 : this.columns.starts[column];
      if (start === 0) continue;
      const isNone = name === 'elevation_m' && this.body[start] === LETTER_N;
      if (!isNone) site[name] = JSON.parse(this.body.toString('utf8', start, this.columns.ends[column]));
    }
    return site;
  }

  writeCsv(writer: RowWriter, row: number): void {
    this.#scan(row);
    for (let column = 0; column < this.source.names.length; column++) {
      if (column > 0) writer.writeBytes(',');
      writeCsvCell(writer, this.#text(column) ?? '');
    }
  }

  /** Copies the members. */
  writeJson(writer: RowWriter, row: number): void {
    const start = this.body.indexOf(OPEN_OBJECT, this.#starts[row]);
    const end = this.body.lastIndexOf(CLOSE_OBJECT, this.#starts[row + 1] - 1);
    writer.copy(this.body, start, end);
    if (skipSpace(this.body, start + 1) < end) writer.writeBytes(',');
  }

  *arrowParts(): Generator<ArrowPart> {
    const { count } = this.job;
    const { partRows } = this.source;
    for (let from = 0; from < count; from += partRows) {
      const rowCount = Math.min(partRows, count - from);
      yield { rowCount, columns: this.#arrowColumns(from, rowCount) };
    }
  }

  /** Finds the values of a row. */
  #scan(row: number): void {
    this.columns.scan(this.body, skipSpace(this.body, this.#starts[row]));
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

  #arrowColumns(from: number, count: number): Data[] {
    const { starts } = this.columns;
    const columns = this.source.names.map((_, column) => this.source.types.builder(column, count));
    for (let row = 0; row < count; row++) {
      this.#scan(from + row);
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
