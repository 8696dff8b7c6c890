import type { Data, Field, Schema } from 'apache-arrow';
import { writeCsvCell } from '../csv/csv-cell.js';
import type { ReadPositions } from '../table/columns.js';
import type { RowChecks, StatedSite } from '../table/row-checks.js';
import type { TableJob, TableSites } from '../table/table-contract.js';
import { PIECE_BYTES } from '../table/table-output.js';
import type { ArrowPart, JobRows, TableSource } from '../table/table-source.js';
import { jsonMembers } from '../text/latin1.js';
import { restOf } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import { type Cells, cellsOf } from './cells.js';
import { batchHeader, ColumnLoader, type Dictionaries } from './load-columns.js';
import { messageAt } from './messages.js';
import { SiteColumns } from './site-columns.js';
import { sliceColumn } from './slice-column.js';
import { readSchema } from './text-views.js';

/** A record batch of a stream that was checked. A table may have thousands: what was decoded of it is not kept. */
export interface StreamBatch {
  /** Where its message is in the stream. */
  readonly at: number;
  readonly dictionaries: Dictionaries;
  /** Its first row among those of the table. */
  readonly firstRow: number;
  readonly rowCount: number;
  /** Its columns, nested ones included, and their buffers: what is decoded grows with them. */
  readonly parts: number;
}

/** A batch with its columns. */
interface LoadedBatch {
  readonly batch: StreamBatch;
  readonly columns: readonly Data[];
  readonly bytes: number;
  sites?: SiteColumns;
  cells?: readonly Cells[];
}

/** Rows of one batch. */
interface Part {
  readonly loaded: LoadedBatch;
  /** The first of them in the batch. */
  readonly from: number;
  readonly count: number;
}

/** Batches whose columns are kept: runs are read and written in turns. */
const KEPT_BATCHES = 4;

/** Most batches of a job: each is decoded for it. */
const JOB_BATCHES = 32;

/** Most parts of the batches of a job, and of those that are kept, where these are more than one. */
const MAX_PARTS = 2 ** 12;

/** JSON has no such numbers. */
const NOT_FINITE: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

/** A table from a checked Arrow stream. Batches are loaded when they are needed: their columns are views of the body. */
export class ArrowSource implements TableSource {
  readonly names: readonly string[];
  readonly lineEnd = '\n';
  readonly members: readonly string[];
  /** The batches used last. */
  readonly #loaded: LoadedBatch[] = [];

  readonly #schema: Schema;

  /**
   * @param stream aligned
   * @param sent the schema of the stream
   * @param batches in their order
   */
  constructor(
    private readonly stream: Uint8Array,
    private readonly sent: Schema,
    readonly batches: readonly StreamBatch[],
    readonly positions: ReadPositions,
    readonly rowCount: number,
  ) {
    this.#schema = readSchema(sent);
    this.names = sent.fields.map(({ name }) => name);
    this.members = jsonMembers(this.names);
  }

  /** All rows in jobs. */
  *jobs(maxRows: number): Generator<TableJob> {
    for (let from = 0; from < this.rowCount; ) {
      const following = this.batches[this.#jobEnd(this.#batchOf(from))];
      const end = Math.min(from + maxRows, following?.firstRow ?? this.rowCount);
      yield { from, count: end - from, start: 0, end: 0 };
      from = end;
    }
  }

  arrowFields(): readonly Field[] {
    return this.#schema.fields;
  }

  arrowMetadata(): ReadonlyMap<string, string> {
    return this.#schema.metadata;
  }

  columnsBefore({ from }: TableJob): Data[] {
    const [part] = this.parts(from - 1, 1);
    return part.loaded.columns.map((column) => sliceColumn(column, part.from, 0));
  }

  rows(job: TableJob): JobRows {
    return new ArrowRows(this, job);
  }

  /** The rows [from, from + count), by batch: those of one are loaded at a time. */
  *parts(from: number, count: number): Generator<Part, undefined> {
    let index = this.#batchOf(from);
    for (let row = from; row < from + count; index++) {
      const loaded = this.#loadKept(index);
      const { firstRow, rowCount } = loaded.batch;
      const end = Math.min(from + count, firstRow + rowCount);
      yield { loaded, from: row - firstRow, count: end - row };
      row = end;
    }
    return undefined;
  }

  /** The index of the first batch that is too much for a job that begins with a given one. */
  #jobEnd(first: number): number {
    let { parts } = this.batches[first];
    let end = first + 1;
    while (end < this.batches.length && end < first + JOB_BATCHES) {
      parts += this.batches[end].parts;
      if (parts > MAX_PARTS) break;
      end++;
    }
    return end;
  }

  /** The index of the batch that has a row. */
  #batchOf(row: number): number {
    let low = 0;
    let high = this.batches.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.batches[middle].firstRow <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The columns of a record batch. @param where which it is, for errors @throws ApiError invalid_request */
  load(index: number, where: string): Data[] {
    const { at, dictionaries } = this.batches[index];
    const { message, body } = messageAt(this.stream, at);
    const types = this.sent.fields.map(({ type }) => type);
    return new ColumnLoader(where, batchHeader(message), body, dictionaries).load(types);
  }

  #loadKept(index: number): LoadedBatch {
    const batch = this.batches[index];
    const kept = this.#loaded.find((loaded) => loaded.batch === batch);
    if (kept !== undefined) return kept;
    const columns = this.load(index, 'a record batch');
    const bytes = messageAt(this.stream, batch.at).body.length;
    const loaded = { batch, columns, bytes };
    this.#loaded.push(loaded);
    let parts = this.#loaded.reduce((sum, kept) => sum + kept.batch.parts, 0);
    while (this.#loaded.length > KEPT_BATCHES || (this.#loaded.length > 1 && parts > MAX_PARTS))
      parts -= this.#loaded.shift()?.batch.parts ?? 0;
    return loaded;
  }
}

class ArrowRows implements JobRows {
  /** The part that was asked for last, and the rows before it. */
  #part: Part | undefined;
  #before = 0;
  readonly #parts: Generator<Part, undefined>;

  constructor(
    private readonly source: ArrowSource,
    private readonly job: TableJob,
  ) {
    this.#parts = source.parts(job.from, job.count);
  }

  sites(checks: RowChecks): TableSites {
    const { from, count } = this.job;
    const rows = checks.rows(count, this.source.positions.elevation_m !== -1);
    const positions = new Uint16Array(count);
    let valid = 0;
    let position = 0;
    for (const { loaded, from: first, count: partCount } of this.source.parts(from, count)) {
      loaded.sites ??= new SiteColumns(loaded.columns, this.source.positions, checks);
      const { sites } = loaded;
      for (let row = first; row < first + partCount; row++, position++) {
        const isValid = checks.write(
          rows,
          valid,
          sites.latitude(row),
          sites.longitude(row),
          sites.species(row),
          sites.method(row),
          sites.elevationM(row),
        );
        if (isValid) positions[valid++] = position;
      }
    }
    return { rows: valid === count ? rows : rows.first(valid), positions: positions.subarray(0, valid) };
  }

  stated(row: number, checks: RowChecks): StatedSite {
    const [{ loaded, from }] = this.source.parts(this.job.from + row, 1);
    loaded.sites ??= new SiteColumns(loaded.columns, this.source.positions, checks);
    return loaded.sites.stated(from);
  }

  rest(from: number): TableJob {
    return restOf(this.job, from, 0);
  }

  writeCsv(writer: RowWriter, row: number): void {
    const { cells, at } = this.#cellsOf(row);
    for (let column = 0; column < cells.length; column++) {
      if (column > 0) writer.writeBytes(',');
      const text = cells[column].text(at) ?? '';
      if (cells[column].isString) writeCsvCell(writer, text);
      else writer.writeBytes(text);
    }
  }

  writeJson(writer: RowWriter, row: number): void {
    const { cells, at } = this.#cellsOf(row);
    const { members } = this.source;
    let json = '{';
    for (let column = 0; column < cells.length; column++) {
      const text = cells[column].text(at);
      const value = text !== null && cells[column].isString ? JSON.stringify(text) : jsonNumber(text);
      json += `${members[column]}${value},`;
    }
    writer.writeBytes(json);
  }

  *arrowParts(): Generator<ArrowPart> {
    for (const { loaded, from, count } of this.#parts) {
      const rowBytes = loaded.bytes / loaded.batch.rowCount;
      const partRows = Math.max(1, Math.floor(PIECE_BYTES / rowBytes));
      for (let row = from; row < from + count; row += partRows) {
        const rowCount = Math.min(partRows, from + count - row);
        yield { rowCount, columns: loaded.columns.map((column) => sliceColumn(column, row, rowCount)) };
      }
    }
  }

  /** The cells of a row, and where it is in them; rows are asked for in their order. */
  #cellsOf(row: number): { cells: readonly Cells[]; at: number } {
    while (this.#part === undefined || row >= this.#before + this.#part.count) {
      this.#before += this.#part?.count ?? 0;
      this.#part = this.#parts.next().value;
      if (this.#part === undefined) throw new Error(`row ${row} is not in the job`);
    }
    const { loaded, from } = this.#part;
    loaded.cells ??= loaded.columns.map(cellsOf);
    return { cells: loaded.cells, at: from + row - this.#before };
  }
}

/** A number or a boolean. */
function jsonNumber(text: string | null): string {
  return text === null || NOT_FINITE.has(text) ? 'null' : text;
}
