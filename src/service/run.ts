import { setTimeout as delay } from 'node:timers/promises';
import { configHelp, loadConfig } from '../config.js';
import { createLog, type Log } from '../log.js';
import { ExplainedError } from '../output/explained-error.js';
import { oneLine, quote, redactKeys } from '../output/printable.js';
import { writeError, writeOutput, writeSecret } from '../output/write-output.js';
import { ArtefactError } from '../prediction/artefacts/artefact-file.js';
import { isDataFile } from '../prediction/artefacts/artefacts.js';
import { checkMemoryLimit } from './resource-limits.js';
import { FAILED_END_MS, type Service, startService } from './service.js';
import { ServicePhase } from './service-phase.js';

/** Most time for the last log lines to be written: their reader may be stuck. */
const LAST_LINES_MS = 1000;

/** Time for request counts to be written before the process ends anyway. */
const FLUSH_MS = 1000;

/**
 * Starts the service, which runs until a signal ends it, or prints its help if an argument asks for it. Errors go to
 * standard error; the exit code is 1 for a failure and 2 for an unknown argument.
 * @returns a function that reloads the models; undefined if the service was not started
 */
export async function run(): Promise<(() => void) | undefined> {
  const args = process.argv.slice(2);
  const unknown = args.find((arg) => arg !== '--help' && arg !== '-h');
  if (unknown !== undefined) {
    const known = 'the service is configured by environment variables, which "npm start -- --help" lists';
    writeError(`nurselog: unknown argument ${redactKeys(quote(unknown))}; ${known}\n`);
    process.exitCode = 2;
    return;
  }
  try {
    if (args.length === 0) return await serve();
    writeOutput(configHelp());
  } catch (error) {
    writeError(`nurselog: ${redactKeys(explain(error))}\n`);
    process.exitCode = 1;
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), FAILED_END_MS).unref(); // if a worker keeps it alive
  }
}

async function serve(): Promise<() => void> {
  const config = loadConfig(process.env);
  checkMemoryLimit(config);
  const log = createLog(config.logLevel);
  const phase = new ServicePhase((reason) => killSelf(log, reason));
  const starting = startService(config, Date.now, log, phase, writeSecret);
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // npm passes a terminal's Ctrl-C on, so that it arrives twice: a repeated signal must not cut the drain short.
      if (isStopping) return;
      isStopping = true;
      const drain = (service: Service) => stop(service, config.drainDelayMs + config.shutdownTimeoutMs, log);
      if (phase.current !== 'starting') return void starting.then(drain, () => {}); // `run` reports a failed start
      // Nothing is served yet: the process ends, as by default.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  }
  const service = await starting;
  const { apiUrl: api, opsUrl: ops, startedWith } = service;
  log.info({ api, ops, single_sites: config.singleSites, ...startedWith }, 'ready');
  log.flush();
  return service.reload;
}

async function stop(service: Service, deadlineMs: number, log: Log): Promise<void> {
  log.info('draining');
  const deadline = setTimeout(() => {
    void Promise.race([service.flushCounts().catch(() => {}), delay(FLUSH_MS)]).then(() =>
      killSelf(log, `still busy ${deadlineMs} ms after the signal`),
    );
  }, deadlineMs);
  try {
    await service.stop();
    log.info('stopped');
  } catch (error) {
    log.fatal({ reason: explain(error) }, 'stopped, and request counts are lost');
    process.exitCode = 1;
  }
  // From here on the timer does not keep the process alive, but ends it if anything else does.
  deadline.unref();
}

/** Ends the process at once. process.exit while a worker runs a model aborts; a SIGKILL to oneself does not. */
function killSelf(log: Log, reason: string): void {
  const end = () => process.kill(process.pid, 'SIGKILL');
  log.fatal(`${reason}: ending`);
  log.flush(end);
  setTimeout(end, LAST_LINES_MS);
}

function explain(error: unknown): string {
  if (!(error instanceof ExplainedError)) return (error as Error).stack ?? String(error);
  const message = oneLine(error.message);
  if (!(error instanceof ArtefactError)) return message;
  const variable = isDataFile(error.file) ? 'DATA_DIR' : 'MODEL_DIR';
  return `${message} (${variable} names the folder)`;
}
