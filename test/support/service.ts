import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DestinationStream } from 'pino';
import { afterAll } from 'vitest';
import { openStore } from '../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../src/accounts/store/key-administration.js';
import type { Tier } from '../../src/accounts/tiers.js';
import { type Config, loadConfig } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { type Service, startService } from '../../src/service/service.js';
import { ServicePhase } from '../../src/service/service-phase.js';

/** A real service in this process, on free ports, with a key store of its own. */
export interface TestService extends Service {
  /** Its first key, tier hypha. */
  readonly key: string;
  readonly config: Config;
  issueKey(tier: Tier): Promise<{ id: string; secret: string }>;
  /** The header of a new key whose quota is used up. */
  exhaustedKey(): Promise<Record<string, string>>;
  readonly administration: KeyAdministration;
  /** Sends JSON (or a raw string or bytes) with the service's key, unless other headers say otherwise. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
}

const shared = new Map<string, Promise<TestService>>();

/**
 * The service with some variables that the test files of a process share, since each start takes a second of CPU. It ends
 * with the process. Tests that stop the service, break its store or its clock start one of their own.
 */
export function sharedService(environment: Record<string, string> = {}): Promise<TestService> {
  const key = JSON.stringify(environment);
  const service = shared.get(key) ?? startTestService(environment);
  shared.set(key, service);
  service.catch(() => shared.delete(key));
  return service;
}

/** Starts the service of a test file, which ends with the file. @param args those of `startTestService` */
export async function serviceOfFile(...args: Parameters<typeof startTestService>): Promise<TestService> {
  const service = await startTestService(...args);
  afterAll(() => service.stop());
  return service;
}

/**
 * Starts the service; whoever starts it stops it. Rejects with the reason of a failed start.
 * @param environment variables in addition to the free ports and the new store
 */
export async function startTestService(
  environment: Record<string, string> = {},
  nowMs = Date.now,
  logTo?: DestinationStream,
): Promise<TestService> {
  const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-test-'));
  const databaseUrl = `sqlite:${path.join(folder, 'keys.db')}`;
  const config = loadConfig({
    PORT: '0',
    OPS_PORT: '0',
    WORKERS: '1',
    DATABASE_URL: databaseUrl,
    ...environment,
  });
  const log = logTo === undefined ? createLog('silent', { write() {} }) : createLog(config.logLevel, logTo);
  const phase = new ServicePhase((reason) => {
    throw new Error(reason);
  });
  let key = '';
  const service = await startService(config, nowMs, log, phase, (text) => {
    key = /nurse_live_[0-9a-f]{32}/.exec(text)?.[0] ?? '';
  }).catch((error) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  // A second connection to the same store: what an operator's command is.
  const store = await openStore(config.databaseUrl);
  const administration = new KeyAdministration(store, nowMs);
  const issueKey = async (tier: Tier) => {
    const issued = await administration.issue(tier, 'a test');
    return { id: issued.key.id, secret: issued.secret };
  };
  const get = (url: string, headers?: Record<string, string>) =>
    fetch(service.apiUrl + url, { headers: { 'x-api-key': key, ...headers } });

  return {
    ...service,
    key,
    config,
    administration,
    issueKey,
    async exhaustedKey() {
      const headers = { 'x-api-key': (await issueKey('spore')).secret };
      await Promise.all(Array.from({ length: 100 }, () => get('/v1/species', headers)));
      return headers;
    },
    post: (url, body, headers) =>
      fetch(service.apiUrl + url, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || isBytes(body) ? body : JSON.stringify(body),
      }),
    get,
    async stop() {
      await store.close();
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of an ArrayBuffer: the types of browsers, by which tests of the page are checked, send no shared memory. */
const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array;
