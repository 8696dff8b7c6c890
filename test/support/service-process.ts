import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Where a service listens, as its log says. */
export interface Addresses {
  readonly api: string;
  readonly ops: string;
}

/** A new empty folder that is removed when the running test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-life-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The service as it ships, in a process of its own, on free ports and a new store unless the environment says otherwise. */
export class ServiceProcess extends EventEmitter<{ line: [string] }> {
  readonly exit: Promise<Exit>;
  /** Complete lines of standard output so far. */
  readonly output: string[] = [];
  /** All of standard error so far. */
  errors = '';
  readonly #child: ChildProcess;
  readonly #lines: Interface | undefined;

  /**
   * @param outputFile takes standard output in the place of `output` and `line`
   * @param wrapper a command that runs the one that follows it
   */
  constructor(
    environment: Record<string, string> = {},
    outputFile?: string,
    wrapper: readonly string[] = [],
  ) {
    super();
    const output = outputFile === undefined ? 'pipe' : openSync(outputFile, 'a');
    const [command, ...arguments_] = [...wrapper, process.execPath, MAIN];
    this.#child = spawn(command!, arguments_, {
      env: {
        PORT: '0',
        OPS_PORT: '0',
        WORKERS: '1',
        DATABASE_URL: `sqlite:${path.join(temporaryFolder(), 'keys.db')}`,
        ...environment,
      },
      stdio: ['ignore', output, 'pipe'],
    });
    if (typeof output === 'number') closeSync(output);
    onTestFinished(() => void this.#child.kill('SIGKILL'));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    if (this.#child.stdout !== null)
      this.#lines = createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.output.push(line);
        this.emit('line', line);
      });
    // 'close' comes after the last of the output.
    this.exit = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** The first (or nth) line of output that fits, now or later; rejects if the process ends without it. */
  async line(fits: RegExp, nth = 1): Promise<string> {
    const ended = new AbortController();
    void this.exit.then(() => ended.abort(new Error(`ended without ${fits}: ${this.errors}`)));
    const written = this.output.filter((line) => fits.test(line));
    if (written.length >= nth) return written[nth - 1]!;
    let missing = nth - written.length;
    for await (const [line] of on(this, 'line', { signal: ended.signal }))
      if (fits.test(line) && --missing === 0) return line as string;
    throw new Error('unreachable: lines are waited for without end');
  }

  /** Resolves when the service is ready. */
  async ready(): Promise<Addresses> {
    return JSON.parse(await this.line(/"msg":"ready"/)) as Addresses;
  }

  /** The key of the first run, from the lines that a newcomer reads. */
  async firstKey(): Promise<string> {
    return (await this.line(/^ {2}nurse_live_[0-9a-f]{32}$/)).trim();
  }

  /** Reads the output without looking at it, which takes less of the processor. */
  discardOutput(): void {
    this.#lines!.close();
    this.#child.stdout!.resume();
  }

  /** Stops reading the output, as a stuck log collector does, until the returned function is called. */
  neglectOutput(): () => void {
    this.#child.stdout!.pause();
    return () => this.#child.stdout!.resume();
  }

  /** Closes the output at the reader's end, as a log collector that died does. */
  closeOutput(): void {
    this.#child.stdout!.destroy();
  }

  /** Sends a signal. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.exit;
  }
}
