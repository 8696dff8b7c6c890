import path from 'node:path';
import { readArtefactFile } from '../../src/prediction/artefacts/artefact-file.js';
import { type GridFile, parseGrid } from '../../src/prediction/artefacts/grid-file.js';
import { parseSpecies } from '../../src/prediction/artefacts/species.js';

const CORNERS = 20;

interface PlanSize {
  readonly units: number;
  readonly species: number;
}

/**
 * The body of a plan of rings of 20 corners that hold at most 4 data points each, for the first species and both methods.
 * @param dataDir where the grid and the species are
 */
export function planBody({ units, species: count }: PlanSize, dataDir: string, random: () => number): string {
  const grid = parseGrid(readArtefactFile(path.join(dataDir, 'grid.arrow')));
  const species = parseSpecies(readArtefactFile(path.join(dataDir, 'species.json')));
  const features = Array.from({ length: units }, (_, id) => ({
    type: 'Feature',
    id,
    geometry: {
      type: 'Polygon',
      coordinates: [ringAt(grid, Math.floor(random() * grid.pointCount), random)],
    },
  }));
  return JSON.stringify({
    units: { type: 'FeatureCollection', features },
    species_codes: species.slice(0, count).map(({ species_code }) => species_code),
    native_only: false,
    costs: { manual: 1.2, drone_seeded: 0.35 },
  });
}

/** A ring around the middle between a point and its neighbours to the north-east, less than two steps of the lattice wide. */
function ringAt(grid: GridFile, point: number, random: () => number): [number, number][] {
  const step = 1 / grid.stepsPerDegree;
  const longitude = grid.longitudes[grid.column[point]] + step / 2;
  const latitude = grid.latitudes[grid.row[point]] + step / 2;
  const ring = Array.from({ length: CORNERS }, (_, corner): [number, number] => {
    const angle = (2 * Math.PI * corner) / CORNERS;
    const radius = step * (0.8 + 0.3 * random());
    return [longitude + radius * Math.cos(angle), latitude + radius * Math.sin(angle)];
  });
  return [...ring, ring[0]];
}
