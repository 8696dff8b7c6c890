import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DATA_FILES } from '../../src/prediction/artefacts/artefacts.js';
import { MANIFEST_FILE, type Manifest } from '../../src/prediction/artefacts/manifest.js';
import type { Species } from '../../src/prediction/artefacts/species.js';
import { dataDir, modelDir } from '../../testing/project.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { type ConstantModel, encodeConstantModel, soundModel } from '../prediction/support/constant-model.js';

/** A species that only even releases have: the first of the list, so that it moves the indexes of all others. */
export const EVEN_SPECIES: Species = {
  species_code: 'AAAA',
  common_name: 'moved alder',
  scientific_name: 'Alnus mota',
  group: 'hardwood',
};

/** The caution of even releases, whose outcomes are observed. */
export const EVEN_CAUTION = 'The same survival is reported for every site.';

/**
 * Releases of a grid and models in folders of their own. Odd ones are the project's; even ones have one more species
 * and predict `evenSurvival` at 1, 3 and 5 years for every site. The release's number is the major version.
 */
export class Releases extends ProjectCopy {
  readonly manifestFile = path.join(this.modelDir, MANIFEST_FILE);
  readonly #sound = soundModel(this.manifest.features.length);
  readonly evenSurvival = this.#sound.survival.map((value) => Number(value.toFixed(4)));

  /** Environment variables of a service that serves them. */
  get environment(): { DATA_DIR: string; MODEL_DIR: string } {
    return { DATA_DIR: this.dataDir, MODEL_DIR: this.modelDir };
  }

  get manifest(): Manifest {
    return JSON.parse(readFileSync(this.manifestFile, 'utf8')) as Manifest;
  }

  /** Puts a release into the folders. @returns its version */
  put(major: number): string {
    cpSync(dataDir, this.dataDir, { recursive: true });
    cpSync(modelDir, this.modelDir, { recursive: true });
    if (major % 2 === 0) {
      this.editJson(path.join(this.dataDir, DATA_FILES.species), (species: Species[]) => {
        species.unshift(EVEN_SPECIES);
      });
      this.listDataFiles();
      for (const { file } of Object.values(this.manifest.methods)) {
        writeFileSync(path.join(this.modelDir, file), encodeConstantModel(this.#sound));
      }
      this.editManifest((manifest) => {
        manifest.species.unshift(EVEN_SPECIES.species_code);
        for (const { averages } of Object.values(manifest.methods)) averages.unshift(averages[0]!);
        // The project's interval graphs do not know the species.
        for (const method of Object.values(manifest.methods)) method.intervals = undefined;
        manifest.interval_level = null;
        manifest.outcomes = 'observed';
        manifest.caution = EVEN_CAUTION;
      });
    }
    this.editManifest((manifest) => {
      manifest.version = `${manifest.coverage}_v${major}_0_${manifest.codename}`;
    });
    this.updateModelDigests();
    return this.manifest.version;
  }

  /** Replaces the models of an even release by ones that differ from them. @returns their files */
  replaceModels(change: Partial<ConstantModel>): string[] {
    const bytes = encodeConstantModel({ ...this.#sound, ...change });
    const files = Object.values(this.manifest.methods).map(({ file }) => path.join(this.modelDir, file));
    for (const file of files) writeFileSync(file, bytes);
    this.updateModelDigests();
    return files;
  }

  editManifest(edit: (manifest: Manifest) => void): void {
    this.editJson(this.manifestFile, edit);
  }

  /** Updates the digests of the model files in the manifest. */
  updateModelDigests(): void {
    this.editManifest(({ methods }) => {
      for (const method of Object.values(methods)) {
        const bytes = readFileSync(path.join(this.modelDir, method.file));
        method.sha256 = createHash('sha256').update(bytes).digest('hex');
      }
    });
  }
}

/** The release number of a version. */
export function releaseOf(version: string): number {
  return Number(/_v(\d+)_/.exec(version)![1]);
}
