import type { RowRecords } from '../../prediction/encoding/row-record.js';
import type { ErrorCode } from '../errors/api-error.js';
import type { GenerationData } from '../serving/per-generation.js';
import { ArrowOutput } from './arrow/arrow-output.js';
import { openArrow } from './arrow/open-arrow.js';
import { openCsv } from './csv/open-csv.js';
import { openNdjson } from './ndjson/open-ndjson.js';
import { RowChecks } from './row-checks.js';
import { NOT_PREDICTED, runOutcomes } from './run-outcomes.js';
import type { OpenTable, Pieces, TableRequest, TableSites } from './table-contract.js';
import type { TableOutput } from './table-output.js';
import type { TableSource } from './table-source.js';
import { csvFormat, NDJSON } from './text/text-formats.js';
import { TextOutput } from './text/text-output.js';

/**
 * Opens a table: checks the whole body. Yields after at most about 20 ms of work, so that a thread can open several at a
 * time. The errors of places need what is made of a context once: pass the same object for all tables of a generation.
 * @throws ApiError invalid_request for a body that is no table, batch_too_large
 */
export function* openTable(
  body: Uint8Array,
  request: TableRequest,
  context: GenerationData,
): Generator<undefined, OpenTable, undefined> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const source = yield* openSource(bytes, request);
  return new Table(source, outputOf(source, request, context), new RowChecks(context, request));
}

function* openSource(body: Buffer, request: TableRequest): Generator<undefined, TableSource, undefined> {
  if (request.format === 'arrow') return yield* openArrow(body, request);
  return yield* request.format === 'csv' ? openCsv(body, request) : openNdjson(body, request);
}

function outputOf(source: TableSource, request: TableRequest, { artefacts }: GenerationData): TableOutput {
  if (request.output === 'arrow') return new ArrowOutput(source, artefacts, request);
  return new TextOutput(request.output === 'csv' ? csvFormat(source, request) : NDJSON, artefacts, request);
}

class Table implements OpenTable {
  readonly rowCount: number;
  readonly failures = new Map<ErrorCode, number>();
  /** Planting method of each row that `sites` has read, or NOT_PREDICTED. */
  readonly #methods: Uint8Array;

  constructor(
    private readonly source: TableSource,
    private readonly output: TableOutput,
    private readonly checks: RowChecks,
  ) {
    this.rowCount = source.rowCount;
    this.#methods = new Uint8Array(source.rowCount).fill(NOT_PREDICTED);
  }

  jobs(maxRows: number): Uint32Array {
    return Uint32Array.from(this.source.jobs(maxRows), ({ from }) => from);
  }

  sites(from: number, count: number): TableSites {
    const sites = this.source.sites(from, count, this.checks);
    const { rows, positions } = sites;
    for (let i = 0; i < rows.count; i++) this.#methods[from + positions[i]] = rows.method[i];
    return sites;
  }

  head(): Uint8Array {
    return this.output.head();
  }

  encode(from: number, count: number, records: RowRecords): Pieces {
    const outcomes = runOutcomes(records, this.#methods.subarray(from, from + count), (row, status) => {
      const site = this.source.stated(from + row, this.checks);
      return status === undefined ? this.checks.error(site) : this.checks.placeError(status, site);
    });
    for (const { code } of outcomes.errors.values())
      this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
    return this.output.encode(this.source.run(from, count), outcomes);
  }

  tail(): Uint8Array {
    return this.output.tail();
  }
}
