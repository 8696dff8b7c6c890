import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What became of the requests of callers. */
export interface Tally {
  /** Answers by status. */
  readonly answers: Map<number, number>;
  /** Requests that got no answer, by what their caller saw: the connection was reset, or ended under them. */
  readonly lost: Map<string, number>;
  /** When a connection was refused for the first time, as `performance.now()` has it: the service listens no more. */
  refusedAtMs: number;
}

/** How a caller behaves. */
export interface Manners {
  /** Whether its connection is used for more than one request. */
  readonly keepsConnection: boolean;
  /** Pause between an answer and the next request, at most. */
  readonly pauseMs: number;
}

export function newTally(): Tally {
  return { answers: new Map(), lost: new Map(), refusedAtMs: Number.POSITIVE_INFINITY };
}

/**
 * Sends one request after another, whatever is answered, until no connection is accepted any more. A connection that
 * the service closes is replaced at once.
 */
export async function callUntilRefused(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { keepsConnection, pauseMs }: Manners,
  tally: Tally,
): Promise<void> {
  const agent = new Agent({ keepAlive: keepsConnection, maxSockets: 1 });
  for (;;) {
    try {
      const sent = request(url, { method: 'POST', headers, agent });
      const answered = once(sent, 'response');
      sent.end(body);
      const [response] = await answered;
      response.resume();
      await once(response, 'end');
      count(tally.answers, response.statusCode);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') {
        tally.refusedAtMs = Math.min(tally.refusedAtMs, performance.now());
        return;
      }
      count(tally.lost, `${code}: ${message}`);
    }
    if (pauseMs > 0) await delay(Math.random() * pauseMs);
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
