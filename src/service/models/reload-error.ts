/** A reload that failed for another reason than a file that is not usable. The message says which, in one line. */
export class ReloadError extends Error {
  override readonly name = 'ReloadError';
}
