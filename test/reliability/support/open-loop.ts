import { OrderedProcess } from '../../../testing/load/ordered-process.js';
import type { OpenLoopOrder, OpenLoopReport } from './open-loop-process.js';

/** Callers who come at a fixed rate, in a process of their own. */
export class OpenLoop extends OrderedProcess<OpenLoopOrder, OpenLoopReport> {
  constructor() {
    super(new URL('./open-loop-process.ts', import.meta.url));
  }
}
