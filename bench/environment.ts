import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Load } from '../testing/load/load.js';
import { EACH_ENDPOINT, REQUESTS, requestStream, type Workload } from '../testing/load/requests.js';
import { type Contender, type Figures, measure, type Pace } from './measure.js';
import { startForked } from './servers/forked.js';
import { startNurselog } from './servers/nurselog.js';
import type { Server } from './servers/server.js';

const projectFolder = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

export const DATA_DIR = projectFolder('data');
export const MODEL_DIR = projectFolder('models');

const PACE: Pace = { rounds: 5, roundMs: 1000, warmUpMs: 600 };

/** The environment of a scope of the bench: servers shared with other scopes, a load generator, a progress report. */
export class Environment {
  readonly load = new Load();
  /** For generated files; removed at the end. */
  readonly folder = mkdtempSync(path.join(tmpdir(), 'nurselog-bench-'));
  readonly #servers = new Map<string, Promise<Server>>();

  constructor(readonly progress: (text: string) => void) {}

  /** nurselog as it ships, but without its cache, so that every site is computed. */
  nurselog(): Promise<Server> {
    return this.#shared('nurselog', () => startNurselog({ CACHE_BYTES: '0' }));
  }

  /** nurselog as it ships. */
  nurselogCaching(): Promise<Server> {
    return this.#shared('nurselog caching', () => startNurselog());
  }

  /** The HTTP part alone: canned responses of the same size as nurselog's, to one request to each endpoint. */
  ceiling(): Promise<Server> {
    return this.#shared('ceiling', async () => {
      const canned = Object.fromEntries(
        await Promise.all(EACH_ENDPOINT.map((workload) => this.#answerTo(workload))),
      ) as Record<string, string>;
      return startForked('./ceiling.ts', { dataDir: DATA_DIR, modelDir: MODEL_DIR, canned });
    });
  }

  /** The plain implementation of the same predictions. */
  naive(): Promise<Server> {
    return this.#shared('naive', () =>
      startForked('./naive.ts', { dataDir: DATA_DIR, modelDir: MODEL_DIR, canned: {} }),
    );
  }

  /** @param dataDir the grid at whose points the sites are */
  measure(
    contenders: readonly Contender[],
    pace: Partial<Pace> = {},
    dataDir = DATA_DIR,
  ): Promise<Figures[]> {
    return measure(contenders, this.load, dataDir, { ...PACE, ...pace }, this.progress);
  }

  async close(): Promise<void> {
    this.load.close();
    for (const server of this.#servers.values()) await (await server).stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #shared(name: string, start: () => Promise<Server>): Promise<Server> {
    const running = this.#servers.get(name) ?? start();
    this.#servers.set(name, running);
    return running;
  }

  async #answerTo(workload: Workload): Promise<[path: string, body: string]> {
    const { port, key } = await this.nurselog();
    const { path: url } = REQUESTS[workload];
    const [head, body] = requestStream(workload, DATA_DIR, key, 1)().toString('latin1').split('\r\n\r\n');
    const [, type] = /content-type: (.*)/.exec(head!) ?? [];
    const headers = { 'x-api-key': key };
    const response = await fetch(
      `http://127.0.0.1:${port}${url}`,
      type === undefined
        ? { headers }
        : { method: 'POST', headers: { ...headers, 'content-type': type }, body },
    );
    if (response.status !== 200)
      throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    return [url, await response.text()];
  }
}
