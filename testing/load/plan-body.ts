import type { GridFile } from '../../src/prediction/artefacts/grid-file.js';
import type { ServedData } from './served-data.js';

const CORNERS = 20;

interface PlanSize {
  readonly units: number;
  readonly species: number;
}

/** A plan of rings with 20 corners and at most 4 data points each, for the first species and both methods. */
export function planBody(
  { units, species }: PlanSize,
  { grid, codes }: ServedData,
  random: () => number,
): string {
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
    species_codes: codes.slice(0, species),
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
