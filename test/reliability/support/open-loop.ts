import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OpenLoopOrder, OpenLoopReport } from './open-loop-process.js';

const PROCESS = fileURLToPath(new URL('./open-loop-process.ts', import.meta.url));

/** Callers who come at a fixed rate, in a process of their own. */
export class OpenLoop {
  readonly #process: ChildProcess = fork(PROCESS, {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });

  async run(order: OpenLoopOrder): Promise<OpenLoopReport> {
    this.#process.send(order);
    const [report] = (await once(this.#process, 'message')) as [OpenLoopReport];
    return report;
  }

  close(): void {
    this.#process.disconnect();
  }
}
