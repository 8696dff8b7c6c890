import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const projectFile = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** A replica's accounts in a process of its own, built as they ship, that can be asked to admit and be killed. */
export class AdmittingProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(databaseUrl: string) {
    this.#child = spawn(process.execPath, [projectFile('test/accounts/support/admit.mjs'), databaseUrl], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  /** Resolves when the store is open. */
  async ready(): Promise<void> {
    await this.#lines.next();
  }

  /** How many of simultaneous requests with a key the process admits. */
  async admit(secret: string, requests: number): Promise<number> {
    this.ask(secret, requests);
    return Number(await this.answer());
  }

  /** Asks for simultaneous admissions without waiting for the answer. */
  ask(secret: string, requests: number): void {
    this.#child.stdin!.write(`${secret} ${requests}\n`);
  }

  /** The next answer, or `undefined` if the process is gone. */
  async answer(): Promise<string | undefined> {
    return (await this.#lines.next()).value;
  }

  /** Ends the process as a crash would, without a chance to write anything, and waits until it is gone. */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}
