/** A file that cannot be used; the message says why and what would be right. */
export class FileError extends Error {
  override readonly name = 'FileError';
}
