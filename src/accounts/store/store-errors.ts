import { ExplainedError } from '../../output/explained-error.js';

/** The store is unreachable or cannot do its work now; the same call may succeed later. */
export class StoreUnavailableError extends ExplainedError {
  override readonly name = 'StoreUnavailableError';

  /** @param reason for operators: it may name hosts and files and is not shown to callers */
  constructor(
    readonly reason: string,
    cause: unknown,
  ) {
    super(`the key store is unavailable: ${reason}`, { cause });
  }
}

/** The store cannot be opened as configured; its message is one line that names what is wrong. */
export class StoreOpenError extends ExplainedError {
  override readonly name = 'StoreOpenError';

  /**
   * @param store the variable that names it, after the file of an embedded one
   * @param remedy a sentence for the end of the message
   */
  constructor(store: string, cause: unknown, remedy = '') {
    const reason = cause instanceof StoreUnavailableError ? cause.reason : (cause as Error).message;
    super(`the key store ${store} cannot be used: ${reason}${remedy}`, { cause });
  }
}

/** Whether an error of either database says that what was to be written contradicts what is there. */
export function isConstraintViolation(error: unknown): boolean {
  return /^(23|SQLITE_CONSTRAINT)/.test(String((error as { code?: unknown }).code));
}
