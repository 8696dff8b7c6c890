import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { ExplainedError } from '../../output/explained-error.js';
import { oneLine } from '../../output/printable.js';

/** A file of the grid or the models that is missing, corrupt or does not fit the others. The message names the file. */
export class ArtefactError extends ExplainedError {
  override readonly name = 'ArtefactError';

  constructor(
    readonly file: string,
    readonly problem: string,
  ) {
    super(`"${file}": ${problem}`); // quoted, since spaces around a folder's name would not be seen
  }
}

export type ArtefactFailure = ReturnType<typeof failureOf>;

/** Why models could not be opened, as plain data: errors lose their class and fields between threads and processes. */
export function failureOf(error: Error) {
  const unnamed = { file: undefined, problem: String(error.stack) };
  const { file, problem } = error instanceof ArtefactError ? error : unnamed;
  return { kind: 'refused' as const, file, problem };
}

/** The error that `failureOf` was given: an ArtefactError where it names a file. */
export function errorOf({ file, problem }: ArtefactFailure): Error {
  return file === undefined ? new Error(problem) : new ArtefactError(file, problem);
}

/** A file that was read once. All threads take both its checksum and its content from these bytes. */
export interface ArtefactFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Reads a file. @throws ArtefactError where it cannot be read */
export function readArtefactFile(path: string): ArtefactFile {
  try {
    return { path, bytes: readFileSync(path) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ArtefactError(path, code === 'ENOENT' ? 'the file is missing' : `cannot be read (${code})`);
  }
}

/** Reads a file. @throws ArtefactError where it cannot be read or does not have the SHA-256 stated in another file */
export function readCheckedFile(path: string, sha256: string, statedIn: string): ArtefactFile {
  const file = readArtefactFile(path);
  const found = sha256Of(file.bytes);
  if (found === sha256) return file;
  throw new ArtefactError(
    path,
    `SHA-256 is ${found}, but ${statedIn} says ${sha256} (damaged, or of another version)`,
  );
}

/** The SHA-256 of bytes or a text, in hexadecimal digits. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The file that lists a data directory's files with their SHA-256, in the format of the command sha256sum. */
export const CHECKSUMS_FILE = 'SHA256SUMS';

/**
 * Reads the SHA256SUMS of a folder. Without its check a damaged grid could be served with wrong values, or keep the Arrow
 * reader in an endless loop.
 * @returns the file itself, and a function that reads a file of the folder that it lists
 * @throws ArtefactError, as the function does, where a file is not listed, is missing or has another SHA-256
 */
export function readChecksums(folder: string) {
  const list = readArtefactFile(path.join(folder, CHECKSUMS_FILE));
  const lines = textOf(list).split('\n');
  const sums = new Map(lines.map((line) => [line.slice(64).replace(/^ [ *]/, ''), line.slice(0, 64)]));
  const readListed = (name: string): ArtefactFile => {
    const sha256 = sums.get(name);
    if (sha256 === undefined) throw new ArtefactError(list.path, `does not list ${name}`);
    return readCheckedFile(path.join(folder, name), sha256, CHECKSUMS_FILE);
  };
  return { list, readListed };
}

/** Parses a JSON file. @throws ArtefactError where it is not JSON or does not fit the schema */
export function parseJsonFile<Schema extends z.ZodType>(
  file: ArtefactFile,
  schema: Schema,
): z.output<Schema> {
  let content: unknown;
  try {
    content = JSON.parse(textOf(file));
  } catch (error) {
    throw new ArtefactError(file.path, `is not valid JSON: ${oneLine((error as Error).message)}`);
  }
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw new ArtefactError(file.path, firstProblem(parsed.error));
  return parsed.data;
}

/** The first problem that zod found in a file's content, as one line. */
export function firstProblem({ issues: [issue] }: z.ZodError): string {
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

function textOf({ bytes }: ArtefactFile): string {
  return Buffer.from(bytes).toString('utf8');
}
