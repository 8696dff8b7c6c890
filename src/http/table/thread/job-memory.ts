import { RECORD_BYTES, RowRecords } from '../../../prediction/encoding/row-record.js';
import { SiteRows, siteRowsBytes } from '../../../prediction/site-rows.js';

/** Jobs of a table that are under way at the same time. */
export const JOBS_UNDER_WAY = 2;

/**
 * Memory that the rows of a job and their outcomes pass through between the main thread and a table thread, used again for
 * the next job of the table: fresh memory for each would keep the garbage collectors of both busy.
 */
export class JobMemory {
  /**
   * @param memory of `bytes` bytes, shared
   * @param rowCount rows at most
   * @param width of their adjustments at most
   */
  constructor(
    readonly memory: SharedArrayBuffer,
    private readonly rowCount: number,
    private readonly width: number,
  ) {}

  static create(rowCount: number, width: number): JobMemory {
    const bytes = siteRowsBytes(rowCount, width) + rowCount * (RECORD_BYTES + 1);
    return new JobMemory(new SharedArrayBuffer(bytes), rowCount, width);
  }

  rows(count: number, width: number): SiteRows {
    return new SiteRows(count, width, this.memory);
  }

  records(count: number): RowRecords {
    const statusAt = siteRowsBytes(this.rowCount, this.width);
    const status = new Uint8Array(this.memory, statusAt, count);
    return new RowRecords(
      status,
      new Uint8Array(this.memory, statusAt + this.rowCount, count * RECORD_BYTES),
    );
  }
}
