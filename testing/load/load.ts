import type { LoadOrder, LoadReport } from './generator.js';
import { OrderedProcess } from './ordered-process.js';

/** A load generator in a process of its own. */
export class Load extends OrderedProcess<LoadOrder, LoadReport> {
  constructor() {
    super(new URL('./generator.ts', import.meta.url));
  }
}
