import path from 'node:path';
import { ArtefactError } from './artefact-error.js';
import { type ArtefactFile, readArtefactFile, readCheckedFile } from './artefact-file.js';

/** The file that lists a data directory's files with their SHA-256. */
export const CHECKSUMS_FILE = 'SHA256SUMS';

/**
 * The files of a folder, by its SHA256SUMS, which has the format of the command sha256sum. A damaged grid could
 * otherwise be served with wrong values, or keep the Arrow reader busy for ever.
 */
export class ListedFiles {
  /** SHA256SUMS itself. */
  readonly list: ArtefactFile;
  readonly #sha256: ReadonlyMap<string, string>;

  /** @throws ArtefactError when SHA256SUMS cannot be read */
  constructor(readonly folder: string) {
    this.list = readArtefactFile(path.join(folder, CHECKSUMS_FILE));
    const lines = this.list.bytes.toString('utf8').split('\n');
    this.#sha256 = new Map(lines.map((line) => [line.slice(64).replace(/^ [ *]/, ''), line.slice(0, 64)]));
  }

  /** Reads a file of the folder. @throws ArtefactError when it is missing, not listed or not the one listed */
  read(name: string): ArtefactFile {
    const sha256 = this.#sha256.get(name);
    if (sha256 === undefined) throw new ArtefactError(this.list.path, `does not list ${name}`);
    return readCheckedFile(path.join(this.folder, name), sha256, CHECKSUMS_FILE);
  }
}
