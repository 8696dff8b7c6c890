import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Accounts } from '../accounts/accounts.js';
import { openStore } from '../accounts/store/account-store.js';
import { KeyAdministration } from '../accounts/store/key-administration.js';
import type { Config } from '../config.js';
import { createApi } from '../http/api.js';
import { createOps } from '../http/ops.js';
import { Connections } from '../http/server/connections.js';
import type { Log } from '../log.js';
import { Metrics } from '../observability/metrics.js';
import { ExplainedError } from '../output/explained-error.js';
import { quote, shorten } from '../output/printable.js';
import { readArtefacts } from '../prediction/artefacts/artefacts.js';
import { prepareFirstKey } from './first-run.js';
import { Generations, logFieldsOf, reasonOf } from './models/generations.js';
import { boundByDescriptors } from './resource-limits.js';
import type { ServicePhase } from './service-phase.js';
import { exposeState } from './state-metrics.js';

export type Service = Awaited<ReturnType<typeof startService>>;

/** How long a failed start may take to close what it opened, and the process after that to end by itself. */
export const FAILED_END_MS = 5000;

/**
 * Starts the service: reads the artefacts, opens the key store, listens, and resolves when every worker is ready.
 * @param phase a new one, which leaves `starting` before the first request is served
 * @param showFirstKey shows a text with the first key of an embedded store; if it throws OutputError, the key is not issued
 * @throws ExplainedError; nothing is left running, except workers that do not return from their models
 */
export async function startService(
  config: Config,
  nowMs: () => number,
  log: Log,
  phase: ServicePhase,
  showFirstKey: (text: string) => void,
) {
  const artefacts = readArtefacts(config.dataDir, config.modelDir);
  const store = await openStore(config.databaseUrl, 'write');
  const accounts = new Accounts(store, nowMs, (error, message) => log.error(reasonOf(error), message));

  const generations = new Generations(artefacts, config, phase, log);
  const metrics = new Metrics();
  const connections = new Connections(boundByDescriptors(config.connectionLimit));
  exposeState(metrics, generations, accounts, connections, log);
  const dependencies = { config, nowMs, phase, accounts, serving: generations, connections, metrics };
  const api = createApi(dependencies, log);
  const ops = createOps(dependencies, log);

  const end = async () => {
    await api.close();
    await generations.close();
    await ops.close();
    await accounts.close();
  };
  try {
    await listen(ops, 'OPS_', config.opsHost, config.opsPort);
    if (config.listen === 'at-start') await listen(api, '', config.host, config.port);
    await generations.current.warmUp();
    phase.start(); // the key works as soon as it is shown
    if (config.listen === 'when-ready') await listen(api, '', config.host, config.port);
    // Last, because the key is shown only once: a start that fails must not issue it.
    const hasPage = api.hasRoute({ method: 'GET', url: '/' });
    const keys = new KeyAdministration(store, nowMs);
    await prepareFirstKey(config.databaseUrl, api.listeningOrigin, hasPage, keys, log, showFirstKey);
  } catch (error) {
    phase.drain();
    // The reason is reported even if a worker never returns from its models.
    const ended = new AbortController();
    await Promise.race([end().catch(() => {}), delay(FAILED_END_MS, undefined, ended)]);
    ended.abort();
    throw error;
  }

  return {
    apiUrl: api.listeningOrigin,
    opsUrl: ops.listeningOrigin,
    /** What the log says of the models and the grid that it started with. */
    startedWith: logFieldsOf(artefacts),
    /** Is not ready from now on, accepts requests until the drain delay is over, answers those in flight, and ends. */
    async stop() {
      phase.drain();
      generations.stopReloading();
      await delay(config.drainDelayMs);
      await end();
    },
    /** Reads the grid and the models again and serves them if they are valid. Ignored while the service ends. */
    reload() {
      if (phase.current === 'draining') log.warn('models not reloaded: the service is stopping');
      else generations.reload();
    },
    /** Writes the request counts that are only in memory: for an exit that does not wait for `stop`. */
    flushCounts: () => accounts.flush(),
  };
}

/**
 * Connections that the system opens before the service accepts them, limited by `net.core.somaxconn`. Callers beyond it wait
 * for a second or more, and some are reset. Node's default of 511 is too low for a thousand callers who connect at once.
 */
const BACKLOG = 4096;

/**
 * Listens on one address: the first one where the host is a name.
 * @param prefix of the variables that configure the address: '' or 'OPS_'
 * @throws ExplainedError with the variables and the reason
 */
async function listen(app: FastifyInstance, prefix: string, host: string, port: number): Promise<void> {
  try {
    // Fastify opens another server, without our limits, for every further address of `localhost`.
    const { address } = await lookup(host);
    await app.listen({ host: address, port, backlog: BACKLOG });
  } catch (error) {
    throw new ExplainedError(
      `cannot listen on ${prefix}HOST ${quote(host)}, ${prefix}PORT ${port}: ` +
        `${shorten((error as Error).message)}; ${prefix}HOST must be an address of this machine, or a name of one, ` +
        `and ${prefix}PORT a free port there, other than ${prefix === '' ? 'OPS_' : ''}PORT`,
    );
  }
}
