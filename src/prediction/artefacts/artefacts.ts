import path from 'node:path';
import { PLANTING_METHODS } from '../dimensions.js';
import {
  ArtefactError,
  type ArtefactFile,
  CHECKSUMS_FILE,
  parseJsonFile,
  readArtefactFile,
  readCheckedFile,
  readChecksums,
  sha256Of,
} from './artefact-file.js';
import { parseGrid, pointOutside } from './grid-file.js';
import { isPractice, MANIFEST_FILE, type Manifest, manifestSchema } from './manifest.js';
import { type Region, regionsSchema } from './regions.js';
import { type SharedGrid, shareGrid, valueAt } from './shared-grid.js';
import { parseSpecies, type Species } from './species.js';

export const DATA_FILES = {
  grid: 'grid.arrow',
  regions: 'regions.geojson',
  species: 'species.json',
} as const;

export function isDataFile(file: string): boolean {
  return [CHECKSUMS_FILE, ...Object.values(DATA_FILES)].some((name) => path.basename(file) === name);
}

/** Everything the service predicts from, checked to fit together. */
export interface Artefacts {
  readonly grid: SharedGrid;
  readonly regions: readonly Region[];
  readonly species: readonly Species[];
  readonly manifest: Manifest;
  /** In the order of PLANTING_METHODS. */
  readonly modelFiles: readonly ArtefactFile[];
  /** The interval graphs in the order of PLANTING_METHODS; empty if the models have none. */
  readonly intervalFiles: readonly ArtefactFile[];
  /** The SHA-256 of the manifest, which states that of every model file: it identifies the models. */
  readonly modelDigest: string;
  /** The SHA-256 of SHA256SUMS, which states that of every data file: it identifies the grid, regions and species. */
  readonly gridDigest: string;
}

/** Identifies every file that artefacts were read from. */
export function identityOf({ modelDigest, gridDigest }: Artefacts): string {
  return `models ${modelDigest}, grid ${gridDigest}`;
}

/**
 * Reads the grid, regions and species of a data directory and the manifest and models of a model directory. Checks that
 * they fit together and that every file has its stated SHA-256; `openPredictor` checks what the models compute. Each
 * file is read once, so that a file replaced during the checks is not served unchecked.
 * @throws ArtefactError
 */
export function readArtefacts(dataDir: string, modelDir: string): Artefacts {
  const { list, readListed } = readChecksums(dataDir);
  const gridFile = readListed(DATA_FILES.grid);
  const grid = parseGrid(gridFile);
  const regions = parseJsonFile(readListed(DATA_FILES.regions), regionsSchema);
  const species = parseSpecies(readListed(DATA_FILES.species));
  const manifestFile = readArtefactFile(path.join(modelDir, MANIFEST_FILE));
  const manifest = parseJsonFile(manifestFile, manifestSchema);

  const regionNames = regions.map(({ region }) => region);
  if (String(grid.regions) !== String(regionNames)) {
    const found = `has the regions ${regionNames.join(', ')}, but the grid has ${grid.regions.join(', ')}`;
    throw new ArtefactError(path.join(dataDir, DATA_FILES.regions), found);
  }
  const refuse = (problem: string): never => {
    throw new ArtefactError(manifestFile.path, problem);
  };
  if (manifest.coverage !== grid.coverage)
    refuse(`coverage is ${manifest.coverage}, but the grid's is ${grid.coverage}`);
  if (String(manifest.species) !== String(species.map(({ species_code }) => species_code)))
    refuse('species are not those of species.json in its order');
  for (const feature of manifest.features) {
    if (isPractice(feature)) continue;
    const { name, unit, minimum, maximum } = feature;
    const column = grid.variables.get(name) ?? refuse(`feature ${name} is not a column of the grid`);
    if (column.unit !== unit)
      refuse(`feature ${name} is in ${unit}, but the grid's column is in ${column.unit}`);
    const outside = pointOutside(column, minimum, maximum);
    if (outside !== -1) {
      const found = `the grid has a point with ${valueAt(column, outside)}`;
      refuse(`feature ${name} is from ${minimum} to ${maximum}, but ${found}`);
    }
  }
  const readModel = ({ file, sha256 }: { readonly file: string; readonly sha256: string }) =>
    readCheckedFile(path.join(modelDir, file), sha256, MANIFEST_FILE);
  const methods = PLANTING_METHODS.map((method) => manifest.methods[method]);
  return {
    grid: shareGrid(gridFile.path, grid, manifest),
    regions,
    species,
    manifest,
    modelFiles: methods.map(readModel),
    intervalFiles: methods.flatMap(({ intervals }) => intervals ?? []).map(readModel),
    modelDigest: sha256Of(manifestFile.bytes),
    gridDigest: sha256Of(list.bytes),
  };
}
