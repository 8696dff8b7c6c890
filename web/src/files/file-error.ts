/** A file that cannot be used; the message says why and what would be right. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

const MB = 1024 * 1024;

/**
 * @param what the file, as the subject of the message
 * @param remedy a sentence that says what to do
 * @throws FileError for a file of more bytes than the page opens
 */
export function checkSize(what: string, bytes: number, maxMb: number, remedy: string): void {
  if (bytes > maxMb * MB)
    throw new FileError(
      `${what} has ${Math.ceil(bytes / MB)} MB, and the page opens at most ${maxMb} MB. ${remedy}`,
    );
}
