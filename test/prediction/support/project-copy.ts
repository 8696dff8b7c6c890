import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dataDir, modelDir } from './project.js';

/** A copy of the project's grid and models that a test may damage. */
export class ProjectCopy {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'nurselog-artefacts-'));
  readonly dataDir = path.join(this.folder, 'data');
  readonly modelDir = path.join(this.folder, 'models');

  constructor() {
    cpSync(dataDir, this.dataDir, { recursive: true });
    cpSync(modelDir, this.modelDir, { recursive: true });
  }

  /** Changes the content of a JSON file of the copy. */
  editJson(file: string, edit: (content: never) => void): void {
    const content = JSON.parse(readFileSync(file, 'utf8'));
    edit(content as never);
    writeFileSync(file, JSON.stringify(content));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** Makes a copy for the length of a check. */
export async function withProjectCopy(check: (copy: ProjectCopy) => Promise<void> | void): Promise<void> {
  const copy = new ProjectCopy();
  try {
    await check(copy);
  } finally {
    copy.remove();
  }
}
