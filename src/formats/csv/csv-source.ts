import { type Data, Field, Utf8 } from 'apache-arrow';
import Papa from 'papaparse';
import { TextColumn } from '../arrow/column-builders.js';
import type { ReadPositions } from '../table/columns.js';
import type { RowChecks, StatedSite } from '../table/row-checks.js';
import type { TableJob, TableSites } from '../table/table-contract.js';
import type { ArrowPart, JobRows, TableSource } from '../table/table-source.js';
import { fromLatin1, jsonMembers } from '../text/latin1.js';
import { lineStarts, restOf, withoutLineEnd, withoutLineFeed } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import { numberOf, writeCsvCell } from './csv-cell.js';

export const CSV_GRAMMAR = { delimiter: ',', newline: '\n' } as const;

/** What R writes by default where a value is missing. */
const NOT_AVAILABLE = 'NA';

export interface CsvHeader {
  readonly names: readonly string[];
  readonly positions: ReadPositions;
  readonly lineEnd: '\n' | '\r\n';
}

/** A CSV table whose grammar was checked. */
export class CsvSource implements TableSource {
  readonly names: readonly string[];
  readonly lineEnd: '\n' | '\r\n';
  readonly positions: ReadPositions;
  /** JSON of the names, with a colon, as latin1. */
  readonly members: readonly string[];

  constructor(
    readonly body: Buffer,
    { names, positions, lineEnd }: CsvHeader,
  ) {
    this.names = names;
    this.lineEnd = lineEnd;
    this.positions = positions;
    this.members = jsonMembers(names);
  }

  arrowFields(): Field[] {
    return this.names.map((name) => new Field(name, new Utf8(), false));
  }

  arrowMetadata(): ReadonlyMap<string, string> {
    return new Map();
  }

  columnsBefore(): Data[] {
    return this.names.map(() => new TextColumn(0).data());
  }

  rows(job: TableJob): JobRows {
    return new CsvRows(this, job);
  }
}

/** A cell that should be a number, as messages show it: by the number that was read of its bytes. */
function statedNumber(number: number, cell: string): unknown {
  return Number.isFinite(number) ? number : cell;
}

/** NaN where none is stated, infinite for what is no number. */
function elevationOf(cell: string): number {
  if (cell === '' || cell === NOT_AVAILABLE) return Number.NaN;
  const elevationM = numberOf(cell);
  return Number.isNaN(elevationM) ? Number.POSITIVE_INFINITY : elevationM;
}

/** Rows of a CSV table. Cells are latin1; those with quotes take up to 16 times their bytes. */
class CsvRows implements JobRows {
  readonly #cells: readonly string[][];
  /** Where each row starts in the body, and where the last one ends. */
  readonly #starts: Uint32Array;
  readonly #hasQuotes: boolean;

  constructor(
    private readonly source: CsvSource,
    private readonly job: TableJob,
  ) {
    const { body } = source;
    const { start, end, count } = job;
    const text = body.toString('latin1', start, end);
    this.#hasQuotes = text.includes('"');
    if (this.#hasQuotes) {
      this.#starts = new Uint32Array(count + 1);
      const cells: string[][] = [];
      Papa.parse<string[]>(text, {
        ...CSV_GRAMMAR,
        step: ({ data, meta }) => {
          if (cells.length === count) return; // the nothing after the last line end
          cells.push(data);
          this.#starts[cells.length] = start + meta.cursor;
        },
      });
      this.#starts[0] = start;
      this.#cells = cells;
    } else {
      this.#starts = lineStarts(body, job);
      this.#cells = Papa.parse<string[]>(text, CSV_GRAMMAR).data;
    }
    for (let i = 0; i < count; i++) {
      const row = this.#cells[i];
      const last = row.length - 1;
      if (!row[last].endsWith('\r')) continue;
      // A line end, unless the cell is quoted and ends so within its quotes.
      const rowEnd = withoutLineFeed(body, this.#starts[i + 1]) - start;
      if (text.endsWith(`,${row[last]}`, rowEnd)) row[last] = row[last].slice(0, -1);
    }
  }

  sites(checks: RowChecks): TableSites {
    const { count } = this.job;
    const { latitude, longitude, species_code, planting_method, elevation_m } = this.source.positions;
    const rows = checks.rows(count, elevation_m !== -1);
    const positions = new Uint16Array(count);
    let valid = 0;
    for (let i = 0; i < count; i++) {
      const row = this.#cells[i];
      const isValid = checks.write(
        rows,
        valid,
        numberOf(row[latitude]),
        numberOf(row[longitude]),
        checks.speciesOf(row[species_code]),
        checks.methodOf(row[planting_method]),
        elevation_m === -1 ? Number.NaN : elevationOf(row[elevation_m]),
      );
      if (isValid) positions[valid++] = i;
    }
    return valid === count
      ? { rows, positions }
      : { rows: rows.first(valid), positions: positions.slice(0, valid) };
  }

  stated(row: number): StatedSite {
    const cells = this.#cells[row];
    const site: StatedSite = {};
    for (const [column, position] of Object.entries(this.source.positions)) {
      if (position === -1 || cells[position] === '') continue;
      if (column === 'elevation_m' && cells[position] === NOT_AVAILABLE) continue;
      const text = fromLatin1(cells[position]);
      const isText = column === 'species_code' || column === 'planting_method';
      site[column as keyof StatedSite] = isText ? text : statedNumber(numberOf(cells[position]), text);
    }
    return site;
  }

  rest(from: number): TableJob {
    return restOf(this.job, from, this.#starts[from]);
  }

  writeCsv(writer: RowWriter, row: number): void {
    if (!this.#hasQuotes) {
      const { body } = this.source;
      writer.copy(body, this.#starts[row], withoutLineEnd(body, this.#starts[row + 1]));
      return;
    }
    this.#cells[row].forEach((cell, position) => {
      if (position > 0) writer.writeBytes(',');
      writeCsvCell(writer, cell);
    });
  }

  writeJson(writer: RowWriter, row: number): void {
    const { members } = this.source;
    const cells = this.#cells[row];
    let json = '{';
    for (let i = 0; i < members.length; i++) json += `${members[i]}${JSON.stringify(cells[i])},`;
    writer.writeBytes(json);
  }

  arrowParts(): ArrowPart[] {
    const { count } = this.job;
    const columns = this.source.names.map((_, position) => {
      const column = new TextColumn(count);
      for (let row = 0; row < count; row++) column.set(row, this.#cells[row][position]);
      return column.data();
    });
    return [{ rowCount: count, columns }];
  }
}
