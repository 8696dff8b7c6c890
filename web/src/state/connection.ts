import { abortable } from '@nurselog/client/abortable';
import type { NurselogError } from '@nurselog/client/nurselog-error';
import { batch, signal } from '@preact/signals';
import type { Health } from '../api/types.js';

/** Why the page cannot get answers: each has an explanation of its own. */
export type Problem = 'key_refused' | 'key_inactive' | 'quota' | 'busy' | 'offline' | 'intercepted';

interface Trouble {
  readonly problem: Problem;
  /** What the service said, or the browser. */
  readonly message: string;
  /** When the quota is reset. */
  readonly resetsAt?: string | undefined;
}

/** What is wrong now; null while the service answers. */
export const trouble = signal<Trouble | null>(null);

/** The version of the models that gave the last answer; null before the first. */
export const servedVersion = signal<string | null>(null);
/** The digest of the models, as last loaded: most answers state only the version, which other models may share. */
export const servedDigest = signal<string | null>(null);

/** Increased to load again what failed. */
export const attempt = signal(0);

/** Delay before the first check whether the service is back; each later check waits twice as long as the one before. */
const FIRST_CHECK_MS = 3000;
const MAX_CHECK_MS = 60_000;
/** A lost connection may never answer, and the next check waits for this one. */
const CHECK_TIMEOUT_MS = 10_000;
let delayMs = FIRST_CHECK_MS;
let checkTimer: number | undefined;
let failedAt = Number.NEGATIVE_INFINITY;

function problemOf({ code, status = 0 }: NurselogError): Problem | undefined {
  if (code === 'unexpected_response' && status < 500) return 'intercepted';
  if (status === 401) return 'key_refused';
  if (status === 403) return 'key_inactive';
  if (status === 429) return 'quota';
  if (status === 503) return 'busy';
  // An internal error concerns one question: it is shown where its answer would be.
  if (code === 'internal_error') return undefined;
  if (code === 'connection_failed' || status >= 500) return 'offline';
  return undefined;
}

/** Whether the page asks again by itself: what is wrong is not the key. */
export const continuesByItself = (problem: Problem) =>
  problem === 'busy' || problem === 'offline' || problem === 'intercepted';

export function reportFailure(error: NurselogError): void {
  const problem = problemOf(error);
  if (problem === undefined) return;
  failedAt = performance.now();
  const resetsAt = error.details?.resets_at;
  trouble.value = {
    problem,
    message: error.message,
    resetsAt: typeof resetsAt === 'string' ? resetsAt : undefined,
  };
  if (continuesByItself(problem)) scheduleCheck();
}

function scheduleCheck(): void {
  if (checkTimer !== undefined) return;
  checkTimer = window.setTimeout(checkAgain, delayMs);
  delayMs = Math.min(2 * delayMs, MAX_CHECK_MS);
}

/** @param startedAt when the call was sent; a call sent before the last failure proves nothing */
export function reportSuccess(startedAt: number): void {
  if (startedAt < failedAt) return;
  delayMs = FIRST_CHECK_MS;
  if (trouble.value !== null) tryAgain();
}

/** Loads again whatever failed. Other models may serve after an outage. */
export function tryAgain(): void {
  loadAgain();
  void checkHealth();
}

function loadAgain(): void {
  trouble.value = null;
  cancelCheck();
  attempt.value++;
}

async function checkAgain(): Promise<void> {
  const isBack = await checkHealth();
  if (checkTimer === undefined) return; // another call has succeeded
  cancelCheck();
  if (isBack) loadAgain();
  else scheduleCheck();
}

/** Asks which models answer, which needs no key and no quota. @returns whether the service is up */
export async function checkHealth(signal?: AbortSignal): Promise<boolean> {
  const ask = async (signal: AbortSignal) => {
    const response = await fetch('/v1/health', { signal });
    return { isOk: response.ok, ...((await response.json()) as Health) };
  };
  try {
    const { isOk, model } = await abortable(signal, ask, CHECK_TIMEOUT_MS);
    batch(() => {
      servedVersion.value = model.version;
      servedDigest.value = model.digest;
    });
    return isOk;
  } catch {
    return false;
  }
}

window.addEventListener('online', () => void checkAgain());

function cancelCheck(): void {
  window.clearTimeout(checkTimer);
  checkTimer = undefined;
}
