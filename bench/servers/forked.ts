import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Server, Usage } from './server.js';

/** What a server of the bench gets when it starts. */
export interface ServerOrder {
  readonly dataDir: string;
  readonly modelDir: string;
  /** Response bodies by path, for the ceiling. */
  readonly canned: Readonly<Record<string, string>>;
}

/** Starts a server of this folder. It sends its port when it listens, and its usage on request. */
export async function startForked(file: string, order: ServerOrder): Promise<Server> {
  const startMs = performance.now();
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv: ['--import', 'tsx'] });
  child.send(order);
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    key: 'none',
    readyMs: performance.now() - startMs,
    async usage() {
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [Usage];
      return usage;
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** The child's side of `startForked`: starts on the order, sends port and usage, ends with the bench. */
export function serveFork(start: (order: ServerOrder) => Promise<number>): void {
  process.once('message', (order: ServerOrder) => {
    void start(order).then((port) => process.send!(port));
    process.on('message', () => {
      const { user, system } = process.cpuUsage();
      process.send!({
        cpuSeconds: (user + system) / 1e6,
        residentBytes: process.memoryUsage.rss(),
      } satisfies Usage);
    });
  });
  process.once('disconnect', () => process.exit());
}
