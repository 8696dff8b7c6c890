import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freePort } from '../../testing/free-port.js';
import { processTreeUsage } from '../peer/process-tree.js';
import { startNurselog } from './nurselog.js';
import type { Server } from './server.js';

const NGINX_CONF = fileURLToPath(new URL('../../deploy/nginx/nginx.conf', import.meta.url));

/** The PostgreSQL and the folder with nginx that the tests of deploy/ use, too: docs/operations.md. */
const { TEST_POSTGRES_URL, TEST_DEPLOY_TOOLS } = process.env;

/** Why replicas cannot run here; undefined if they can. */
export function whyNoReplicas(): string | undefined {
  if (TEST_POSTGRES_URL === undefined) return 'TEST_POSTGRES_URL names no PostgreSQL';
  if (TEST_DEPLOY_TOOLS === undefined) return 'TEST_DEPLOY_TOOLS names no folder with nginx';
  return undefined;
}

/**
 * Starts replicas that share a database of their own, behind nginx with the configuration that is shipped.
 * @returns a server whose port is nginx's and whose usage is that of nginx and all replicas
 */
export async function startReplicas(count: number, environment: Record<string, string>): Promise<Server> {
  const startMs = performance.now();
  const database = `nurselog_bench_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${database}`);
  const DATABASE_URL = Object.assign(new URL(TEST_POSTGRES_URL!), { pathname: database }).href;
  const replicas: Server[] = [];
  for (let i = 0; i < count; i++) replicas.push(await startNurselog({ ...environment, DATABASE_URL }));
  const balancer = await startBalancer(replicas.map(({ port }) => port));
  return {
    port: balancer.port,
    key: replicas[0].key,
    readyMs: performance.now() - startMs,
    async usage() {
      const all = await Promise.all([balancer, ...replicas].map((server) => server.usage()));
      return {
        cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
        residentBytes: all.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
      };
    },
    async stop() {
      await balancer.stop();
      for (const replica of replicas) await replica.stop();
      await onServer(`drop database ${database} with (force)`);
    },
  };
}

async function startBalancer(replicaPorts: readonly number[]): Promise<Omit<Server, 'key' | 'readyMs'>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-bench-nginx-'));
  const port = await freePort();
  const conf = path.join(folder, 'nginx.conf');
  writeFileSync(conf, configuration(port, replicaPorts));
  const nginx = spawn(
    path.join(TEST_DEPLOY_TOOLS!, 'nginx'),
    ['-p', folder, '-c', conf, '-e', 'stderr', '-g', 'daemon off;'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const stop = async () => {
    nginx.kill('SIGTERM');
    await once(nginx, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = performance.now() + 5000;
  while (!(await answers(port))) {
    if (performance.now() < deadline) continue;
    await stop();
    throw new Error('nginx does not answer');
  }
  return { port, usage: async () => processTreeUsage(nginx.pid!), stop };
}

/** The file that is shipped, with addresses instead of a name that a name server resolves. */
function configuration(port: number, replicaPorts: readonly number[]): string {
  return readFileSync(NGINX_CONF, 'utf8')
    .replace(/^ *resolver .*\n/m, '')
    .replace(/^ *server nurselog:8080 resolve (.*)\n/m, (_, limits: string) =>
      replicaPorts.map((replica) => `server 127.0.0.1:${replica} ${limits}\n`).join(''),
    )
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('/dev/stdout', 'unusual.log');
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/v1/health`)).ok;
  } catch {
    return false;
  }
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: TEST_POSTGRES_URL });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
