import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadReport } from './generator.js';

const GENERATOR = fileURLToPath(new URL('./generator.ts', import.meta.url));

/** A load generator in a process of its own. */
export class Load {
  readonly #process: ChildProcess = fork(GENERATOR, {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });

  /** Sends load as ordered. @throws Error when the server does not answer */
  async run(order: LoadOrder): Promise<LoadReport> {
    this.#process.send(order);
    const [answer] = (await once(this.#process, 'message')) as [{ report?: LoadReport; error?: string }];
    if (answer.report === undefined) throw new Error(`load on port ${order.port}: ${answer.error}`);
    return answer.report;
  }

  close(): void {
    this.#process.disconnect();
  }
}
