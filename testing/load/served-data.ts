import path from 'node:path';
import { readArtefactFile } from '../../src/prediction/artefacts/artefact-file.js';
import { type GridFile, parseGrid } from '../../src/prediction/artefacts/grid-file.js';
import { parseSpecies } from '../../src/prediction/artefacts/species.js';

/** The grid and species that requests may name. */
export interface ServedData {
  readonly grid: GridFile;
  /** The codes of the species, in the order of the service. */
  readonly codes: readonly string[];
}

/** Reads the grid and the species in `dataDir`, which takes a few tenths of a second. */
export function readServedData(dataDir: string): ServedData {
  const species = parseSpecies(readArtefactFile(path.join(dataDir, 'species.json')));
  return {
    grid: parseGrid(readArtefactFile(path.join(dataDir, 'grid.arrow'))),
    codes: species.map(({ species_code }) => species_code),
  };
}
