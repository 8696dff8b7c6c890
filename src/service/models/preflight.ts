import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.js';
import { ExplainedError } from '../../output/explained-error.js';
import { ArtefactError, type ArtefactFailure, errorOf } from '../../prediction/artefacts/artefact-file.js';

const PROCESS_FILE = fileURLToPath(new URL('./preflight-process.js', import.meta.url));

/** A preflight takes a second or two of CPU time. By the clock, valid models would fail on a busy machine. */
const CPU_LIMIT_S = 60;
/** Ends a preflight that waits instead, for example for a file that is a pipe. */
const TIMEOUT_MS = 600_000;

/** What the process reports: the model file that it is about to check, or its result with the identity of what it checked. */
export type PreflightNotice =
  | { readonly kind: 'checking'; readonly file: string }
  | { readonly kind: 'valid'; readonly identity: string }
  | ArtefactFailure;

/**
 * Opens the grid and the models in a separate process, as a start would. A broken model can make onnxruntime crash or
 * never return, and a thread inside it cannot be ended; this must not happen in a process that serves.
 * @param signal kills the process
 * @returns the identity of the artefacts that were checked
 * @throws ArtefactError if a file is invalid or ends the process, ExplainedError if the process did not start or did not finish
 */
export async function preflight(
  { dataDir, modelDir, searchRadiusKm }: Config,
  signal: AbortSignal,
): Promise<string> {
  // The shell sets the limit. The child does not get this process's own options, such as a debugger's.
  const child = fork(PROCESS_FILE, [dataDir, modelDir, String(searchRadiusKm)], {
    execPath: '/bin/sh',
    execArgv: ['-c', `ulimit -t ${CPU_LIMIT_S} && exec "$0" "$@"`, process.execPath],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let notice: PreflightNotice | undefined;
  child.on('message', (message: PreflightNotice) => {
    notice = message;
  });
  // The options `timeout` and `signal` of `fork` leak a timer and a listener if the process cannot be started.
  const timeout = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const [code, endedBy] = await once(child, 'close', { signal })
    .catch((error: Error) => {
      child.kill('SIGKILL');
      throw new ExplainedError(`the preflight process could not be started: ${error.message}`);
    })
    .finally(() => clearTimeout(timeout));
  const end = `ended by ${endedBy ?? `exit ${code}`} (limit ${CPU_LIMIT_S} s of CPU)`;
  switch (notice?.kind) {
    case undefined:
      throw new ExplainedError(`the preflight process ${end}`);
    case 'checking':
      throw new ArtefactError(notice.file, `the preflight process that ran it ${end}`);
    case 'refused':
      throw errorOf(notice);
    case 'valid':
      return notice.identity;
  }
}
