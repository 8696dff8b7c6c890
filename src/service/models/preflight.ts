import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.js';
import { type ArtefactFailure, errorOf } from '../../prediction/artefacts/artefact-error.js';
import { ReloadError } from './reload-error.js';

const PROCESS_FILE = fileURLToPath(new URL('./preflight-process.js', import.meta.url));

/** It takes under a second where there is a core for it. */
const TIMEOUT_MS = 60_000;

/** What the process tells; `digest` is that of the artefacts it tried. */
export type RehearsalOutcome = { readonly kind: 'sound'; readonly digest: string } | ArtefactFailure;

/**
 * Opens the grid and the models in a process of its own, as a start would. A model may be so broken that onnxruntime
 * crashes or never returns, and no thread inside it can be ended: that must not happen to a process that serves.
 * @param signal ends the process before its time
 * @returns the digest of the artefacts that were tried
 * @throws ArtefactError where a file is not usable, ReloadError where the process did not start or get to its end
 */
export async function rehearse(
  { dataDir, modelDir, searchRadiusKm }: Config,
  signal: AbortSignal,
): Promise<string> {
  const args = [dataDir, modelDir, String(searchRadiusKm)];
  const { outcome, exit } = await runProcess(args, signal).catch((error: Error) => {
    throw new ReloadError(`the process to try the models could not be started: ${error.message}`);
  });
  if (outcome === undefined) {
    throw new ReloadError(`trying the models ended by ${exit} (time limit ${TIMEOUT_MS / 1000} s)`);
  }
  if (outcome.kind === 'refused') throw errorOf(outcome);
  return outcome.digest;
}

/** Runs the process to its end. Rejects where it could not be started. */
async function runProcess(args: readonly string[], signal: AbortSignal) {
  const rehearsal = fork(PROCESS_FILE, args, {
    // What runs this process, such as a debugger, is not wanted in that one.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let outcome: RehearsalOutcome | undefined;
  rehearsal.on('message', (told: RehearsalOutcome) => {
    outcome = told;
  });
  // Not by options of `fork`: where the process could not be started, their timer and listener are never removed.
  const kill = () => rehearsal.kill('SIGKILL');
  const timeLimit = setTimeout(kill, TIMEOUT_MS);
  signal.addEventListener('abort', kill);
  try {
    const [code, endedBy] = await once(rehearsal, 'close');
    return { outcome, exit: endedBy ?? `exit ${code}` };
  } finally {
    clearTimeout(timeLimit);
    signal.removeEventListener('abort', kill);
  }
}
