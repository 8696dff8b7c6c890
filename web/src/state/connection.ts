import type { NurselogError } from '@nurselog/client/nurselog-error';
import { batch, signal } from '@preact/signals';
import type { Health } from '../api/types.js';

/** Why the page cannot get answers: each has an explanation of its own. */
export type Problem = 'key_refused' | 'key_inactive' | 'quota' | 'busy' | 'offline';

export interface Trouble {
  readonly problem: Problem;
  /** What the service said, or the browser. */
  readonly message: string;
  /** When the quota starts anew. */
  readonly resetsAt?: string | undefined;
}

/** What is wrong now; null while the service answers. */
export const trouble = signal<Trouble | null>(null);

/** The version of the models that gave the last answer; null before the first. */
export const servedVersion = signal<string | null>(null);
/** The digest of the models at the last look: most answers have only the version, which other models may have, too. */
export const servedDigest = signal<string | null>(null);

/** Increased to load again what failed. */
export const attempt = signal(0);

/** Until the first look at whether the service is back; each later one waits twice as long as the one before. */
const FIRST_LOOK_MS = 3000;
const LONGEST_MS = 60_000;
let delayMs = FIRST_LOOK_MS;
let looking: number | undefined;
let failedAt = Number.NEGATIVE_INFINITY;

function problemOf({ code, status }: NurselogError): Problem | undefined {
  if (status === 401) return 'key_refused';
  if (status === 403) return 'key_inactive';
  if (status === 429) return 'quota';
  if (status === 503) return 'busy';
  // An internal error concerns one question: it is shown where its answer would be.
  if (code === 'internal_error') return undefined;
  if (code === 'connection_failed' || (status !== undefined && status >= 500)) return 'offline';
  return undefined;
}

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
  if (problem === 'busy' || problem === 'offline') lookLater();
}

function lookLater(): void {
  if (looking !== undefined) return;
  looking = window.setTimeout(lookAgain, delayMs);
  delayMs = Math.min(2 * delayMs, LONGEST_MS);
}

/** @param startedAt when the call was sent: one from before the failure says nothing of now */
export function reportSuccess(startedAt: number): void {
  if (startedAt < failedAt) return;
  delayMs = FIRST_LOOK_MS;
  if (trouble.value !== null) tryAgain(); // what failed before
}

/** Loads again whatever failed. Other models may serve after an outage. */
export function tryAgain(): void {
  loadAgain();
  void lookAtHealth();
}

function loadAgain(): void {
  trouble.value = null;
  stopLooking();
  attempt.value++;
}

async function lookAgain(): Promise<void> {
  const isBack = await lookAtHealth();
  if (looking === undefined) return; // answered meanwhile
  stopLooking();
  if (isBack) loadAgain();
  else lookLater();
}

/** Looks which models serve; this needs no key and no quota. @returns whether the service is up */
export async function lookAtHealth(): Promise<boolean> {
  try {
    const response = await fetch('/v1/health');
    const { model } = (await response.json()) as Health;
    batch(() => {
      servedVersion.value = model.version;
      servedDigest.value = model.digest;
    });
    return response.ok;
  } catch {
    return false;
  }
}

function stopLooking(): void {
  window.clearTimeout(looking);
  looking = undefined;
}
