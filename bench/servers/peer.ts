import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processTreeUsage } from '../peer/process-tree.js';
import type { Server } from './server.js';

const script = (name: string) => fileURLToPath(new URL(`../peer/${name}`, import.meta.url));

/** Processes that answer, in addition to the one that starts them. */
const WORKERS = 2;

/** The Python that runs the peer. It needs the packages of bench/peer/requirements.txt. */
const python = () => process.env.PEER_PYTHON ?? 'python3';

/** Why the peer cannot run here; undefined if it can. */
export function whyNoPeer(): string | undefined {
  if (!existsSync('/proc/self/stat'))
    return 'the CPU time of its processes is read from /proc, which only Linux has';
  const check = spawnSync(python(), [script('missing_packages.py')], { encoding: 'utf8' });
  if (check.error !== undefined) return `${python()} could not be run: ${check.error.message}`;
  if (check.status !== 0) return `${python()} failed: ${check.stderr.trim()}`;
  const missing = check.stdout.trim().split('\n').join(', ');
  return missing === '' ? undefined : `${python()} lacks ${missing}; PEER_PYTHON may name another`;
}

/** Starts the Python peer on a free port. @throws Error with its output if it does not start */
export async function startPeer(dataDir: string, modelDir: string): Promise<Server> {
  const startMs = performance.now();
  const service = spawn(python(), [script('serve.py'), String(WORKERS)], {
    env: { ...process.env, DATA_DIR: dataDir, MODEL_DIR: modelDir, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const printed: string[] = [];
  let port: number | undefined;
  let started = 0;
  for await (const line of createInterface({ input: service.stderr })) {
    printed.push(line);
    const [, listening] = /^Listening on port (\d+)$/.exec(line) ?? [];
    if (listening !== undefined) port = Number(listening);
    if (line.includes('Application startup complete')) started++;
    if (port !== undefined && started === WORKERS) break;
  }
  if (port === undefined || started < WORKERS)
    throw new Error(`the peer did not start:\n${printed.join('\n')}`);
  service.stderr.resume();
  return {
    port,
    key: 'none',
    readyMs: performance.now() - startMs,
    usage: async () => processTreeUsage(service.pid!),
    async stop() {
      service.kill('SIGTERM');
      await once(service, 'exit');
    },
  };
}
