import { createHash } from 'node:crypto';
import path from 'node:path';
import { ArtefactError } from './artefact-error.js';
import { readArtefact } from './json-file.js';

/** The file that lists a data directory's files with their SHA-256. */
export const CHECKSUMS_FILE = 'SHA256SUMS';

/**
 * Holds files of a folder against its SHA256SUMS, which has the format of the command sha256sum. A damaged grid could
 * otherwise be served with wrong values, or keep the Arrow reader busy for ever.
 * @throws ArtefactError naming the first file that is missing or not the one listed
 */
export function checkListedFiles(folder: string, files: readonly string[]): void {
  const list = path.join(folder, CHECKSUMS_FILE);
  const lines = readArtefact(list).toString('utf8').split('\n');
  const listed = new Map(lines.map((line) => [line.slice(64).replace(/^ [ *]/, ''), line.slice(0, 64)]));
  for (const file of files) {
    const sha256 = listed.get(file);
    if (sha256 === undefined) throw new ArtefactError(list, `does not list ${file}`);
    readChecked(path.join(folder, file), sha256, CHECKSUMS_FILE);
  }
}

/** The bytes of a file. @throws ArtefactError where it is missing or does not have the SHA-256 that another file says */
export function readChecked(file: string, sha256: string, saidIn: string): Buffer {
  const bytes = readArtefact(file);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === sha256) return bytes;
  throw new ArtefactError(
    file,
    `SHA-256 is ${found}, but ${saidIn} says ${sha256} (damaged, or of another version)`,
  );
}
