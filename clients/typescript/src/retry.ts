import { abortable, delay } from './abortable.js';
import { errorOfResponse, NurselogError } from './nurselog-error.js';

/** When a request is sent again. */
export interface RetryPolicy {
  /** How often a request is sent at most. */
  readonly attempts: number;
  /** How long a request waits between attempts at most, in all. A longer `Retry-After` is not waited for. */
  readonly totalWaitMs: number;
  /**
   * Wait before the second attempt, beyond its `Retry-After`. It doubles with each attempt and varies at random between
   * half and all of it.
   */
  readonly firstWaitMs: number;
  /** How long an attempt may take, from its start to the end of its response; Infinity for no limit. */
  readonly attemptTimeoutMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 8,
  totalWaitMs: 60_000,
  firstWaitMs: 500,
  attemptTimeoutMs: 60_000,
};

/** A service that starts again refuses connections, too: the first failure may be of that. */
const ATTEMPTS_BEFORE_PROBE = 2;

/** Body too slow, quota, gateway without an answer of the service, queue full or starting: later the same request may succeed. */
const RETRIED_STATUSES = [408, 429, 502, 503, 504];

/**
 * A `fetch` that repeats what fails for the moment. Every request of the interface may be repeated: none changes anything.
 * It wraps `fetch` because a middleware of openapi-fetch cannot send a request again: its body is used up by then. The
 * response is read here, so that a connection that is cut in the middle of one counts as failed, too.
 * @throws NurselogError `connection_failed` if no attempt got a response, or the reason of the request's signal
 */
export function retryingFetch(policy: RetryPolicy) {
  let wasAnswered = false;
  return async (request: Request): Promise<Response> => {
    const body = request.method === 'GET' ? undefined : await request.arrayBuffer();
    let waitedMs = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOnce(request, body, policy.attemptTimeoutMs);
      wasAnswered ||= outcome instanceof Response;
      if (outcome instanceof NurselogError && !wasAnswered && attempt === ATTEMPTS_BEFORE_PROBE) {
        const explained = await hiddenFromPage(request, outcome);
        if (explained !== undefined) throw explained;
      }
      const waitMs = retryAfterMs(outcome) + backoffMs(policy.firstWaitMs, attempt);
      const isFinal = attempt >= policy.attempts || waitedMs + waitMs > policy.totalWaitMs;
      if (isFinal || !mayRetry(outcome)) {
        if (outcome instanceof NurselogError) throw outcome;
        return outcome;
      }
      await delay(waitMs, request.signal);
      waitedMs += waitMs;
    }
  };
}

async function attemptOnce(
  request: Request,
  body: ArrayBuffer | undefined,
  timeoutMs: number,
): Promise<Response | NurselogError> {
  try {
    return await abortable(
      request.signal,
      async (signal) => {
        // A redirect is not followed: it would take the key to another place.
        const { url, method, headers } = request;
        const response = await fetch(url, {
          method,
          headers,
          body: body ?? null,
          signal,
          redirect: 'manual',
        });
        if (response.type === 'opaqueredirect' || response.headers.has('location'))
          throw errorOfResponse(undefined, response);
        const bytes = await response.arrayBuffer();
        return new Response(bytes.byteLength > 0 ? bytes : null, response);
      },
      timeoutMs,
    );
  } catch (cause) {
    request.signal.throwIfAborted();
    if (cause instanceof NurselogError) throw cause;
    const message = `No response from ${new URL(request.url).origin}: ${reasonOf(cause)}`;
    return new NurselogError({ code: 'connection_failed', message }, undefined, cause);
  }
}

/** A failure that says what to do, where the browser of a page of another origin reaches the service but hides its responses. */
async function hiddenFromPage(
  { url, signal }: Request,
  failure: NurselogError,
): Promise<NurselogError | undefined> {
  const page = (globalThis as { location?: { origin: string } }).location;
  if (page === undefined || page.origin === new URL(url).origin) return undefined;
  // Its response is hidden, too, but there is none where the service cannot be reached.
  const isReached = await fetch(url, { mode: 'no-cors', signal }).then(
    () => true,
    () => false,
  );
  if (!isReached) return undefined;
  const message = `${failure.message}. The service can be reached: the origin of this page, ${page.origin}, may be missing in its CORS_ORIGINS.`;
  return new NurselogError({ code: 'connection_failed', message }, undefined, failure.cause);
}

function mayRetry(outcome: Response | NurselogError): boolean {
  return outcome instanceof NurselogError || RETRIED_STATUSES.includes(outcome.status);
}

function backoffMs(firstWaitMs: number, attempt: number): number {
  return firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}

/** The wait that the header asks for, in seconds or until a date (RFC 9110, 10.2.3); 0 without one. */
function retryAfterMs(outcome: Response | NurselogError): number {
  const value = outcome instanceof NurselogError ? null : outcome.headers.get('retry-after');
  if (value === null) return 0;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? 0 : Math.max(0, waitMs);
}

/** Node says what happened in the cause of its "fetch failed": by a message or, for several addresses, by a code. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { message?: string; code?: string } };
  return cause === undefined ? message : `${message} (${cause.message || cause.code})`;
}
