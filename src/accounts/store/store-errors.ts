import { ExplainedError } from '../../output/explained-error.js';

/** The store is unreachable or cannot do its work now; the same call may succeed later. */
export class StoreUnavailableError extends ExplainedError {
  override readonly name = 'StoreUnavailableError';

  /** @param reason for operators: it may name hosts and files and is not shown to callers */
  constructor(
    readonly reason: string,
    cause: unknown,
    /** Whether the database may have done its work although it did not say so. */
    readonly mayBeDone = false,
  ) {
    super(`the key store is unavailable: ${reason}`, { cause });
  }
}

/** Whether an error of either database reports a violated constraint. */
export function isConstraintViolation(error: unknown): boolean {
  return /^(23|SQLITE_CONSTRAINT)/.test(String((error as { code?: unknown }).code));
}
