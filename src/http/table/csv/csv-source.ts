import { Field, Utf8 } from 'apache-arrow';
import Papa from 'papaparse';
import { TextColumn } from '../arrow/column-builders.js';
import type { ReadPositions } from '../columns.js';
import type { RowChecks, StatedSite } from '../row-checks.js';
import type { TableSites } from '../table-contract.js';
import {
  type ArrowPart,
  JOB_CELLS,
  type RowRange,
  type TableSource,
  type UploadedRows,
} from '../table-source.js';
import { fromLatin1, jsonMembers } from '../text/latin1.js';
import { type OffsetList, withoutLineEnd, withoutLineFeed } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import { numberOf, writeCsvCell } from './csv-cell.js';

export const CSV_GRAMMAR = { delimiter: ',', newline: '\n' } as const;

const QUOTE = 0x22;

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
  readonly #positions: ReadPositions;
  readonly rowCount: number;
  /** JSON of the names, with a colon, as latin1. */
  readonly members: readonly string[];

  constructor(
    private readonly body: Buffer,
    private readonly offsets: OffsetList,
    { names, positions, lineEnd }: CsvHeader,
  ) {
    this.names = names;
    this.lineEnd = lineEnd;
    this.#positions = positions;
    this.rowCount = offsets.count;
    this.members = jsonMembers(names);
  }

  jobs(maxRows: number): Iterable<RowRange> {
    return this.offsets.jobs(Math.min(maxRows, Math.ceil(JOB_CELLS / this.names.length)));
  }

  arrowFields(): Field[] {
    return this.names.map((name) => new Field(name, new Utf8(), false));
  }

  arrowMetadata(): ReadonlyMap<string, string> {
    return new Map();
  }

  sites(from: number, count: number, checks: RowChecks): TableSites {
    const { latitude, longitude, species_code, planting_method, elevation_m } = this.#positions;
    const rows = checks.rows(count, elevation_m !== -1);
    const positions = new Uint16Array(count);
    let valid = 0;
    const cells = this.cells(from, count);
    for (let i = 0; i < count; i++) {
      const row = cells[i];
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
    const [cells] = this.cells(row, 1);
    const site: StatedSite = {};
    for (const [column, position] of Object.entries(this.#positions)) {
      if (position === -1 || cells[position] === '') continue;
      if (column === 'elevation_m' && cells[position] === NOT_AVAILABLE) continue;
      const text = fromLatin1(cells[position]);
      const isText = column === 'species_code' || column === 'planting_method';
      site[column as keyof StatedSite] = isText ? text : statedNumber(numberOf(cells[position]), text);
    }
    return site;
  }

  run(from: number, count: number): UploadedRows {
    return new CsvRows(this, from, count);
  }

  /** The cells of rows, as latin1. Those with quotes take up to 16 times their bytes. */
  cells(from: number, count: number): string[][] {
    const text = this.body.toString('latin1', this.offsets.start(from), this.offsets.start(from + count));
    const { data } = Papa.parse<string[]>(text, CSV_GRAMMAR);
    for (let i = 0; i < count; i++) {
      const row = data[i];
      const last = row.length - 1;
      if (!row[last].endsWith('\r')) continue;
      // A line end, unless the cell is quoted and ends so within its quotes.
      const end = withoutLineFeed(this.body, this.offsets.start(from + i + 1)) - this.offsets.start(from);
      if (text.endsWith(`,${row[last]}`, end)) row[last] = row[last].slice(0, -1);
    }
    return data;
  }

  hasQuotes(from: number, count: number): boolean {
    return this.body.subarray(this.offsets.start(from), this.offsets.start(from + count)).includes(QUOTE);
  }

  copyRow(writer: RowWriter, row: number): void {
    const start = this.offsets.start(row);
    writer.copy(this.body, start, withoutLineEnd(this.body, this.offsets.start(row + 1)));
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

/** Rows of a CSV table; cells are parsed when they are asked for. */
class CsvRows implements UploadedRows {
  readonly #hasQuotes: boolean;
  #cells: string[][] | undefined;

  constructor(
    private readonly source: CsvSource,
    private readonly from: number,
    private readonly count: number,
  ) {
    this.#hasQuotes = source.hasQuotes(from, count);
  }

  get cells(): string[][] {
    this.#cells ??= this.source.cells(this.from, this.count);
    return this.#cells;
  }

  writeCsv(writer: RowWriter, row: number): void {
    if (!this.#hasQuotes) {
      this.source.copyRow(writer, this.from + row);
      return;
    }
    this.cells[row].forEach((cell, position) => {
      if (position > 0) writer.writeBytes(',');
      writeCsvCell(writer, cell);
    });
  }

  writeJson(writer: RowWriter, row: number): void {
    const { members } = this.source;
    const cells = this.cells[row];
    let json = '{';
    for (let i = 0; i < members.length; i++) json += `${members[i]}${JSON.stringify(cells[i])},`;
    writer.writeBytes(json);
  }

  arrowParts(): ArrowPart[] {
    const { cells, count } = this;
    const columns = this.source.names.map((_, position) => {
      const column = new TextColumn(count);
      for (let row = 0; row < count; row++) column.set(row, cells[row][position]);
      return column.data();
    });
    return [{ rowCount: count, columns }];
  }
}
