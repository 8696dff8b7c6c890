import { OrderedProcess } from '../../../testing/load/ordered-process.js';
import type { TableCallersOrder, TableCallersReport } from './table-callers-process.js';

/** Callers of tables, in a process of their own. */
export class TableCallers extends OrderedProcess<TableCallersOrder, TableCallersReport> {
  constructor() {
    super(new URL('./table-callers-process.ts', import.meta.url));
  }
}
