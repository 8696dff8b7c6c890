import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CHECKSUMS_FILE } from '../src/prediction/artefacts/artefact-file.js';
import { DATA_FILES } from '../src/prediction/artefacts/artefacts.js';
import { dataDir, modelDir } from './project.js';

/** Writes the SHA256SUMS of a folder for its current data files; missing files are listed, too. */
export function listFiles(folder: string): void {
  const lines = Object.values(DATA_FILES).map((name) => {
    const file = path.join(folder, name);
    const content = existsSync(file) ? readFileSync(file) : 'missing';
    return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`;
  });
  writeFileSync(path.join(folder, CHECKSUMS_FILE), lines.join(''));
}

/** A copy of the project's grid and models, or of a copy, that a test may damage. */
export class ProjectCopy {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'nurselog-artefacts-'));
  readonly dataDir = path.join(this.folder, 'data');
  readonly modelDir = path.join(this.folder, 'models');

  constructor(source = { dataDir, modelDir }) {
    cpSync(source.dataDir, this.dataDir, { recursive: true });
    cpSync(source.modelDir, this.modelDir, { recursive: true });
  }

  /** Changes the content of a JSON file of the copy. */
  editJson(file: string, edit: (content: never) => void): void {
    const content = JSON.parse(readFileSync(file, 'utf8'));
    edit(content as never);
    writeFileSync(file, JSON.stringify(content));
  }

  /** Updates SHA256SUMS, so that a changed data file passes the check of its SHA-256. */
  listDataFiles(): void {
    listFiles(this.dataDir);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** Runs a check on a copy and removes the copy. */
export async function withProjectCopy(
  check: (copy: ProjectCopy) => Promise<void> | void,
  source?: ProjectCopy,
): Promise<void> {
  const copy = new ProjectCopy(source);
  try {
    await check(copy);
  } finally {
    copy.remove();
  }
}
