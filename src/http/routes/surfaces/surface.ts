import type { Artefacts } from '../../../prediction/artefacts/artefacts.js';
import { HORIZONS, PLANTING_METHODS } from '../../../prediction/dimensions.js';
import { EARTH_RADIUS_KM, RADIANS } from '../../../prediction/locate/great-circle.js';
import type { LatticePoints } from '../../../prediction/locate/lattice-points.js';

/** The survival of one species at points of the grid. */
export interface Surface extends LatticePoints {
  readonly artefacts: Pick<Artefacts, 'grid' | 'species' | 'manifest'>;
  /** Index into the species list. */
  readonly species: number;
  /** The reported survival in ten-thousandths, Uint16 [methods, horizons, points]. */
  readonly survival: Uint16Array;
}

/** The numbers of survival at a point. */
export const SURVIVALS_PER_POINT = PLANTING_METHODS.length * HORIZONS.length;

const SPACING_DECIMALS = 3;

/** How far apart the rows of a surface's lattice are, km north to south, with 3 decimals. */
export function spacingKm({ artefacts: { grid }, step }: Pick<Surface, 'artefacts' | 'step'>): number {
  const degrees = step / grid.index.stepsPerDegree;
  return Number((degrees * RADIANS * EARTH_RADIUS_KM).toFixed(SPACING_DECIMALS));
}

/** What a surface says of itself, as the first fields of its JSON. */
export function surfaceFields({ artefacts, species, points, step }: Surface) {
  const { species_code, common_name } = artefacts.species[species];
  return {
    species_code,
    species_common_name: common_name,
    horizons: HORIZONS,
    points: points.length,
    spacing_km: spacingKm({ artefacts, step }),
  };
}
