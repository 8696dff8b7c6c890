import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from './accounts/clock.js';
import { redactKeys } from './accounts/key-format.js';
import { StoreOpenError, StoreUnavailableError } from './accounts/store/store-errors.js';
import { ConfigError, loadConfig } from './config.js';
import { createLog, type Log } from './log.js';
import { oneLine } from './output/printable.js';
import { writeError, writeSecret } from './output/write-output.js';
import { WorkerStartError } from './pool/worker-pool.js';
import { ArtefactError } from './prediction/artefacts/artefact-error.js';
import { ListenError } from './service/listen.js';
import { type Service, startService } from './service/service.js';
import { onHangUp } from './service/signals.js';
import { welcome } from './service/welcome.js';

/** How long the last log line may take. */
const LAST_LINE_MS = 500;

/** How long counts may take to be written before the process ends anyway. */
const FLUSH_MS = 1000;

/** Errors that a line explains; any other is a bug and shows its stack. */
const EXPLAINED = [
  ConfigError,
  ArtefactError,
  WorkerStartError,
  StoreOpenError,
  StoreUnavailableError,
  ListenError,
];

async function main(): Promise<void> {
  // Before anything else: unhandled, the signal would end a process that is still starting.
  let isReloadWanted = false;
  let reload = () => {
    isReloadWanted = true;
  };
  onHangUp(() => reload());

  const config = loadConfig(process.env);
  const log = createLog(config.logLevel);
  const service = await startService(
    config,
    systemClock,
    log,
    (reason) => end(log, reason),
    (apiUrl, issued) => writeSecret(welcome(apiUrl, issued)),
  );
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // A terminal's Ctrl-C comes twice where npm passes it on: what comes after the first must not cut the draining short.
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      void stop(service, config.drainDelayMs + config.shutdownTimeoutMs, log);
    });
  }
  reload = service.reload;
  if (isReloadWanted) reload();
  log.info({ api: service.apiUrl, ops: service.opsUrl, single_sites: config.singleSites }, 'ready');
  log.flush();
}

async function stop(service: Service, deadlineMs: number, log: Log): Promise<void> {
  log.info('draining');
  const deadline = setTimeout(() => {
    void Promise.race([service.flushCounts().catch(() => {}), delay(FLUSH_MS)]).then(() =>
      end(log, `still busy ${deadlineMs} ms after the signal`),
    );
  }, deadlineMs);
  try {
    await service.stop();
    log.info('stopped');
  } catch (error) {
    // The store took no writes to the last.
    log.fatal({ reason: explain(error) }, 'stopped, and request counts are lost');
    process.exitCode = 1;
  }
  // What is still open now, if anything, keeps the process no longer than the deadline; the timer itself does not keep it.
  deadline.unref();
}

/** Ends the process at once. process.exit into a pool that runs a model aborts; a signal to oneself does not. */
function end(log: Log, reason: string): void {
  log.fatal(`${reason}: ending`);
  log.flush();
  // The line is written meanwhile, if whoever reads it does.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_LINE_MS);
}

function explain(error: unknown): string {
  return EXPLAINED.some((type) => error instanceof type)
    ? oneLine((error as Error).message)
    : ((error as Error).stack ?? String(error));
}

try {
  await main();
} catch (error) {
  writeError(`nurselog: ${redactKeys(explain(error))}\n`);
  process.exitCode = 1;
}
