import type { ErrorCode, SiteError } from './types.js';

/** A failed request. */
export class NurselogError extends Error {
  override readonly name = 'NurselogError';
  readonly code: ErrorCode;
  /** Fields that depend on the code, such as `tier_limit` for `batch_too_large`. */
  readonly details: SiteError['details'];
  /** The HTTP status; undefined if no answer arrived. */
  readonly status: number | undefined;
  /** The service's id of the request, which is also in its log; undefined if no answer arrived. */
  readonly requestId: string | undefined;

  constructor({ code, message, details }: SiteError, response?: Response, cause?: unknown) {
    // A server must not drive the terminal that the message is shown in.
    super(message.replace(/(?![\n\t])\p{Cc}/gu, '\ufffd'), { cause });
    this.code = code;
    this.details = details;
    this.status = response?.status;
    this.requestId = response?.headers.get('x-request-id') ?? undefined;
  }
}

/** The error for a response that is not successful or does not come from the service. */
export function errorOfResponse(body: unknown, response: Response, cause?: unknown): NurselogError {
  const error = (body as { error?: Partial<SiteError> } | undefined)?.error;
  if (typeof error?.code === 'string' && typeof error.message === 'string')
    return new NurselogError(error as SiteError, response, cause);
  const message = `The response with status ${response.status} is not one of nurselog: check the URL, and proxies on the way.`;
  return new NurselogError({ code: 'unexpected_response', message }, response, cause);
}
