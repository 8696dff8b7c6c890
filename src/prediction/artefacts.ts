import path from 'node:path';
import { ArtefactError } from './artefact-error.js';
import { checkListedFiles } from './checksums.js';
import { readGridFile } from './grid-file.js';
import { MANIFEST_FILE, type Manifest, type ModelFile, readManifest, readModelFiles } from './manifest.js';
import { type Region, readRegions } from './regions.js';
import { type SharedGrid, shareGrid } from './shared-grid.js';
import { readSpecies, type Species } from './species.js';

/** The files of a data directory. */
export const DATA_FILES = {
  grid: 'grid.arrow',
  regions: 'regions.geojson',
  species: 'species.json',
} as const;

/** Everything the service predicts from, checked to fit together. */
export interface Artefacts {
  readonly grid: SharedGrid;
  readonly regions: readonly Region[];
  readonly species: readonly Species[];
  readonly manifest: Manifest;
  /** In the order of PLANTING_METHODS. */
  readonly modelFiles: readonly ModelFile[];
}

/**
 * Reads the grid, regions and species of a data directory and the manifest of a model directory, and checks that they
 * fit together and that the model files are those of the manifest. The models themselves are checked by the workers.
 * @throws ArtefactError naming the file and what is wrong.
 */
export function readArtefacts(dataDir: string, modelDir: string): Artefacts {
  checkListedFiles(dataDir, Object.values(DATA_FILES));
  const grid = readGridFile(path.join(dataDir, DATA_FILES.grid));
  const regions = readRegions(path.join(dataDir, DATA_FILES.regions));
  const species = readSpecies(path.join(dataDir, DATA_FILES.species));
  const manifest = readManifest(modelDir);
  const manifestFile = path.join(modelDir, MANIFEST_FILE);

  if (String(grid.regions) !== String(regions.map(({ region }) => region))) {
    throw new ArtefactError(
      path.join(dataDir, DATA_FILES.regions),
      `has the regions ${regions.map(({ region }) => region).join(', ')}, but the grid has ${grid.regions.join(', ')}`,
    );
  }
  if (manifest.coverage !== grid.coverage) {
    throw new ArtefactError(
      manifestFile,
      `coverage is ${manifest.coverage}, but the grid's is ${grid.coverage}`,
    );
  }
  if (String(manifest.species) !== String(species.map(({ species_code }) => species_code))) {
    throw new ArtefactError(manifestFile, 'species are not those of species.json in its order');
  }
  for (const { name, unit } of manifest.features) {
    const variable = grid.variables.get(name);
    if (variable === undefined)
      throw new ArtefactError(manifestFile, `feature ${name} is not a column of the grid`);
    if (variable.unit !== unit) {
      throw new ArtefactError(
        manifestFile,
        `feature ${name} is in ${unit}, but the grid's column is in ${variable.unit}`,
      );
    }
  }
  const modelFiles = readModelFiles(modelDir, manifest);
  const featureNames = manifest.features.map(({ name }) => name);
  return { grid: shareGrid(grid, featureNames), regions, species, manifest, modelFiles };
}
