import { abortable, delay } from './abortable.js';
import { errorOfResponse, NurselogError } from './nurselog-error.js';

/** When a request is sent again. */
export interface RetryPolicy {
  /** Maximum number of times a request is sent. */
  readonly attempts: number;
  /** Maximum total wait between the attempts of a request. A longer `Retry-After` ends the attempts. */
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

/** Not after the first failure, because a service that restarts refuses connections, too. */
const ATTEMPTS_BEFORE_PROBE = 2;

/** Slow body, quota, gateway error, and a full queue or a start of the service: the request may succeed later. */
const RETRIED_STATUSES = [408, 429, 502, 503, 504];

/**
 * A `fetch` that sends a request again after a temporary failure. All requests of the interface can be repeated: none
 * changes anything. It wraps `fetch` because a middleware of openapi-fetch cannot send a request again, whose body has
 * been read by then. It reads the whole response, so that a connection cut in the middle of it counts as a failure.
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
        const advised = await withCorsAdvice(request, outcome, policy.attemptTimeoutMs);
        if (advised !== undefined) throw advised;
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
        // A redirect is not followed, because it would send the key to another address.
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

/**
 * The failure with advice on CORS_ORIGINS, if a page of another origin reaches the service but the browser hides the
 * responses; else undefined.
 */
async function withCorsAdvice(
  { url, signal }: Request,
  failure: NurselogError,
  timeoutMs: number,
): Promise<NurselogError | undefined> {
  const page = (globalThis as { location?: { origin: string } }).location;
  if (page === undefined || page.origin === new URL(url).origin) return undefined;
  // Without CORS the response is hidden, too, but the request fails only if the service cannot be reached.
  const probe = abortable(signal, (own) => fetch(url, { mode: 'no-cors', signal: own }), timeoutMs);
  const isReached = await probe.then(
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
  const value = outcome instanceof NurselogError ? '' : (outcome.headers.get('retry-after') ?? '');
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Dates begin with a weekday. The asctime form lacks GMT and would be local time.
  const waitMs = Date.parse(value.replace(/ (\d{4})$/, ' $1 GMT')) - Date.now();
  return /^[A-Z]/.test(value) && waitMs > 0 ? waitMs : 0;
}

/** Node says what happened in the cause of its "fetch failed": by a message or, for several addresses, by a code. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { message?: string; code?: string } };
  return cause === undefined ? message : `${message} (${cause.message || cause.code})`;
}
