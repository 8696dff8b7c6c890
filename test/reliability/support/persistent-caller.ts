import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../../support/kept-load.js';
import { readWhole, type Target, type WholeAnswers } from './mixed-load.js';

/** The outcomes of the requests of callers. */
export class Tally {
  /** Answers by status; incomplete answers of 200 by their kind of request. */
  readonly answers = new Map<number | string, number>();
  /** Requests without an answer: the error that the caller saw, and the local port of the connection. */
  readonly unanswered: { readonly port: number | undefined; readonly what: string }[] = [];
  /** Requests on a kept connection that was closed for having been idle too long: a busy machine delays callers. */
  late = 0;
  /** The time of the first refused connection by `performance.now()`: the service has stopped listening. */
  refusedAtMs = Number.POSITIVE_INFINITY;
}

/** How a caller behaves. */
export interface Manners {
  /** Whether its connection is used for more than one request. */
  readonly keepsConnection: boolean;
  /** Pause between an answer and the next request, at most. */
  readonly pauseMs: number;
  /** The minimum time for which the service keeps an idle connection open, even while it drains. */
  readonly keptMs: number;
}

/**
 * Sends the requests one after another, again and again, whatever is answered, until no connection is accepted any more.
 * A connection that the service closes is replaced at once.
 * @param first the index of the request to begin with
 */
export async function callUntilRefused(
  { api, key }: Target,
  answers: WholeAnswers,
  first: number,
  { keepsConnection, pauseMs, keptMs }: Manners,
  tally: Tally,
): Promise<void> {
  const client = new Client(api, key, keepsConnection);
  const requests = [...answers];
  let [sentMs, sentBeforeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let index = first; ; index++) {
    const [request, whole] = requests[index % requests.length]!;
    [sentMs, sentBeforeMs] = [performance.now(), sentMs];
    const portBefore = client.localPort;
    try {
      const { status, body } = await client.send(request);
      const kind = status === 200 && readWhole(request, body) !== whole ? `other ${request.name}` : status;
      tally.answers.set(kind, (tally.answers.get(kind) ?? 0) + 1);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') {
        tally.refusedAtMs = Math.min(tally.refusedAtMs, performance.now());
        return;
      }
      const port = client.localPort;
      const wasIdle = port === portBefore && message !== 'aborted';
      if (wasIdle && sentMs - sentBeforeMs > keptMs) tally.late++;
      else tally.unanswered.push({ port, what: `${request.name}, ${code}: ${message}` });
    }
    if (pauseMs > 0) await delay(Math.random() * pauseMs);
  }
}
