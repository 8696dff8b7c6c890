/** The store is unreachable or cannot do its work now; the same call may succeed later. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
  readonly code = 'store_unavailable';

  /** @param reason for operators: it may name hosts and files and is not shown to callers */
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`the key store is unavailable: ${reason}`, options);
  }
}

/** The store cannot be opened as configured; its message is one line that names what is wrong. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
}

/** Another process holds the write lock of the SQLite file: worth another attempt shortly. */
export class StoreBusyError extends StoreUnavailableError {
  override readonly name = 'StoreBusyError';
}
