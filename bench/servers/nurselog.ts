import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../src/accounts/store/key-administration.js';
import { Metrics } from '../../testing/metrics.js';
import type { Server } from './server.js';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** A nurselog under load. */
export interface Nurselog extends Server {
  readonly pid: number;
  /** Reloads the models and the grid. */
  reload(): Promise<void>;
  /** Issues another key of tier hypha in the store, as an operator would. */
  issueKey(): Promise<string>;
}

/**
 * Starts nurselog as it ships, on free ports, with a key store of its own unless `environment` names one.
 * @param project the folder of a built checkout; this one by default
 */
export async function startNurselog(
  environment: Record<string, string> = {},
  project = PROJECT,
): Promise<Nurselog> {
  const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-bench-'));
  const databaseUrl = environment.DATABASE_URL ?? `sqlite:${folder}/keys.db`;
  const issueKey = async () => {
    const store = await openStore(databaseUrl);
    const { secret } = await new KeyAdministration(store, Date.now).issue('hypha', 'bench');
    await store.close();
    return secret;
  };
  const startMs = performance.now();
  const service = spawn(process.execPath, [path.join(project, 'dist/main.js')], {
    cwd: project,
    env: {
      ...process.env,
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'info',
      ...environment,
      DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let readyMs = 0;
  let urls: { api: string; ops: string } | undefined;
  for await (const line of createInterface({ input: service.stdout })) {
    if (line.includes('"msg":"ready"')) {
      readyMs = performance.now() - startMs;
      urls = JSON.parse(line) as { api: string; ops: string };
      break;
    }
  }
  if (urls === undefined) throw new Error('nurselog did not start');
  service.stdout.resume();
  const metrics = `${urls.ops}/metrics`;
  const readMetrics = async () => new Metrics(await (await fetch(metrics)).text());
  const reloads = async () =>
    (await readMetrics()).sum('nurselog_model_reloads_total', '{outcome="switched"}');
  return {
    port: Number(new URL(urls.api).port),
    key: await issueKey(),
    readyMs,
    pid: service.pid!,
    async usage() {
      const found = await readMetrics();
      return {
        cpuSeconds: found.value('process_cpu_seconds_total'),
        residentBytes: found.value('process_resident_memory_bytes'),
      };
    },
    async reload() {
      const before = await reloads();
      service.kill('SIGHUP');
      while ((await reloads()) === before) await delay(50);
    },
    issueKey,
    async stop() {
      service.kill('SIGTERM');
      await once(service, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
