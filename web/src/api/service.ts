import { errorOfResponse, NurselogError } from '@nurselog/client/nurselog-error';
import { retryingFetch } from '@nurselog/client/retry';
import { reportFailure, reportSuccess, servedVersion } from '../state/connection.js';
import { key } from '../state/key.js';

/** Shorter than the client's defaults, because a person waits: failures are shown, with a button to try again. */
const send = retryingFetch({ attempts: 3, totalWaitMs: 3000, firstWaitMs: 300, attemptTimeoutMs: 60_000 });

/** Also answered when the quota is used up. */
export const USAGE = '/v1/usage';

interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls the service with the key: GET without a body, else POST. A text body is sent as it is, anything else as JSON.
 * The page also shows failures of the key, the quota or the connection in its banner or the form for the key.
 * @throws NurselogError, or the reason of the signal
 */
export async function call(path: string, { body, headers = {}, signal }: Call = {}): Promise<Response> {
  const startedAt = performance.now();
  try {
    const response = await send(
      new Request(new URL(path, location.origin), {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'X-API-Key': key.value ?? '', 'Content-Type': 'application/json', ...headers },
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
        signal: signal ?? null,
      }),
    );
    if (!response.ok || !isOfService(response))
      throw errorOfResponse(await response.json().catch(() => undefined), response);
    if (path !== USAGE) reportSuccess(startedAt);
    return response;
  } catch (error) {
    if (error instanceof NurselogError) reportFailure(error);
    throw error;
  }
}

/** Whether a successful response is JSON or CSV, unlike the login page of a network. */
const isOfService = ({ headers }: Response) => /json|csv/.test(headers.get('Content-Type') ?? '');

/** Calls the service and parses the JSON answer, whose `model` shows whether the service has loaded other models. */
export async function callJson<Answer>(path: string, options?: Call): Promise<Answer> {
  const response = await call(path, options);
  const answer = await response.json().catch((cause: Error) => {
    throw errorOfResponse(undefined, response, cause);
  });
  if (typeof answer.model?.version === 'string') servedVersion.value = answer.model.version;
  return answer as Answer;
}
