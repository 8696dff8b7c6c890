import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ArtefactError } from './artefact-error.js';

/** A file that was read once: its checksum and its content are both taken from these bytes. */
export interface ArtefactFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Reads a file. @throws ArtefactError naming the file when it cannot be read. */
export function readArtefactFile(path: string): ArtefactFile {
  try {
    return { path, bytes: readFileSync(path) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ArtefactError(path, code === 'ENOENT' ? 'the file is missing' : `cannot be read (${code})`);
  }
}

/** Reads a file. @throws ArtefactError where it cannot be read or does not have the SHA-256 that another file states. */
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
export function sha256Of(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
