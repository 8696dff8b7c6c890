import { StoreUnavailableError } from '../store-errors.js';

/** Another process holds the file's write lock: worth trying again in a moment. */
export class StoreBusyError extends StoreUnavailableError {
  override readonly name = 'StoreBusyError';
}
