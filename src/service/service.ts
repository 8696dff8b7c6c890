import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Accounts } from '../accounts/accounts.js';
import type { Clock } from '../accounts/clock.js';
import { type IssuedKey, KeyAdministration } from '../accounts/key-administration.js';
import { isEmbedded, openStore } from '../accounts/store/open-store.js';
import type { Config } from '../config.js';
import { createApi } from '../http/api.js';
import { createOps } from '../http/ops.js';
import { Connections } from '../http/server/connections.js';
import type { Log } from '../log.js';
import { Metrics } from '../observability/metrics.js';
import { BufferPool } from '../pool/buffer-pool.js';
import { readArtefacts } from '../prediction/artefacts/artefacts.js';
import { boundByDescriptors } from './descriptors.js';
import { issueFirstKey } from './first-key.js';
import { listen } from './listen.js';
import { Generations } from './models/generations.js';
import { ServicePhase } from './service-phase.js';
import { watchState } from './state-metrics.js';
import { WorkerGuard } from './worker-guard.js';

/** A running service. */
export interface Service {
  readonly apiUrl: string;
  readonly opsUrl: string;
  /** The key issued because the embedded store had none; its secret is known only here. */
  readonly firstKey: IssuedKey | null;
  /**
   * Drains and ends: not ready at once, no new work after the drain delay, requests in flight are answered.
   */
  stop(): Promise<void>;
  /** Has the grid and the models read anew and served, if they are sound. A service that ends goes on as it is. */
  reload(): void;
  /** Writes the request counts that are only in memory: for an end that does not wait for `stop`. */
  flushCounts(): Promise<void>;
}

/**
 * Starts the service: reads what it serves, opens the key store, listens, and resolves when every worker is ready.
 * @param giveUp ends the process: called when it cannot serve any more
 * @param showFirstKey shows the first key of an embedded store; it throws OutputError, and then there is no such key
 * @throws ArtefactError, StoreOpenError or ListenError; nothing then keeps running.
 */
export async function startService(
  config: Config,
  clock: Clock,
  log: Log,
  giveUp: (reason: string) => void,
  showFirstKey: (apiUrl: string, issued: IssuedKey) => void,
): Promise<Service> {
  const artefacts = readArtefacts(config.dataDir, config.modelDir);
  const store = await openStore(config.databaseUrl);
  const accounts = new Accounts(store, clock, (err) =>
    log.error({ err }, 'request counts could not be written yet'),
  );

  const phase = new ServicePhase();
  const guard = new WorkerGuard(phase, giveUp);
  const buffers = new BufferPool();
  const generations = new Generations(artefacts, config, buffers, guard, log);
  const metrics = new Metrics();
  const connections = new Connections(boundByDescriptors(config.connectionLimit));
  watchState(metrics, generations, accounts, connections, log);
  const api = createApi(config, clock, phase, accounts, generations, connections, metrics, log);
  const ops = createOps(config, phase, accounts, metrics, log);

  const end = async () => {
    await api.close();
    await generations.close();
    guard.stop();
    await ops.close();
    await accounts.close();
  };
  let firstKey: IssuedKey | null = null;
  try {
    await listen(ops, { host: 'OPS_HOST', port: 'OPS_PORT' }, { host: config.opsHost, port: config.opsPort });
    await listen(api, { host: 'HOST', port: 'PORT' }, config);
    await generations.current.warmUp();
    phase.enter('ok'); // whoever reads the key may use it at once
    // Last, so that a start that fails does not use up the one time the key is shown.
    if (wantsFirstKey(config))
      firstKey = await issueFirstKey(new KeyAdministration(store, clock), (issued) =>
        showFirstKey(urlOf(api), issued),
      );
  } catch (error) {
    await end();
    throw error;
  }

  return {
    apiUrl: urlOf(api),
    opsUrl: urlOf(ops),
    firstKey,
    stop: async () => {
      phase.enter('draining');
      await delay(config.drainDelayMs);
      await end();
    },
    reload: () => {
      if (phase.current === 'draining') log.warn('models not reloaded: the service ends');
      else generations.reload();
    },
    flushCounts: () => accounts.flush(),
  };
}

/** A newcomer on this machine gets a key; a store that others may reach is never given one unasked. */
function wantsFirstKey({ databaseUrl, host }: Config): boolean {
  return isEmbedded(databaseUrl) && ['127.0.0.1', '::1', 'localhost'].includes(host);
}

function urlOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
