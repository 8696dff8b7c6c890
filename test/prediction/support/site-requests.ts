import {
  BOTH_METHODS,
  HORIZONS,
  type Horizon,
  PLANTING_METHODS,
} from '../../../src/prediction/dimensions.js';
import type { PredictorData } from '../../../src/prediction/predictor.js';
import { SiteRows } from '../../../src/prediction/site-rows.js';
import type { PlainAnswer, PlainPredictor } from '../../../testing/oracle/plain-prediction.js';
import { placeOf } from '../../../testing/project.js';

/** A row as its caller states it. */
export interface SiteRequest {
  readonly latitude: number;
  readonly longitude: number;
  /** Index into the species list. */
  readonly species: number;
  /** Undefined asks for the comparison of both. */
  readonly method: (typeof PLANTING_METHODS)[number] | undefined;
  readonly horizons: readonly (1 | 3 | 5)[];
}

const HORIZON_CHOICES: readonly SiteRequest['horizons'][] = [
  [1, 3, 5],
  [1, 3, 5],
  [1],
  [3],
  [5],
  [1, 5],
  [5, 3],
  [3, 3, 1],
];

/** Requests as callers mix them: near grid points, anywhere in the box around the states, beyond the borders. */
export function randomRequests(
  { grid, species }: PredictorData,
  count: number,
  random: () => number,
): SiteRequest[] {
  const choose = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  return Array.from({ length: count }, () => {
    const point = placeOf(grid, Math.floor(random() * grid.pointCount));
    const nearPoint = random() < 0.8;
    const decimals = 10 ** choose([2, 4, 6, 17]);
    const shown = (degrees: number) => Math.round(degrees * decimals) / decimals;
    return {
      latitude: shown(nearPoint ? point.latitude + 0.06 * (random() - 0.5) : 41 + 9 * random()),
      longitude: shown(nearPoint ? point.longitude + 0.06 * (random() - 0.5) : -126 + 11 * random()),
      species: Math.floor(random() * species.length),
      method: choose([...PLANTING_METHODS, undefined]),
      horizons: choose(HORIZON_CHOICES),
    };
  });
}

/** Requests as the columns that a worker is given. */
export function rowsOf(requests: readonly SiteRequest[], generatedAt: Date): SiteRows {
  const rows = new SiteRows(requests.length);
  requests.forEach(({ latitude, longitude, species, method, horizons }, row) => {
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.generatedAtMs[row] = generatedAt.getTime();
    rows.species[row] = species;
    rows.method[row] = method === undefined ? BOTH_METHODS : PLANTING_METHODS.indexOf(method);
    rows.horizons[row] = horizonSet(horizons);
  });
  return rows;
}

/** What the oracle answers to a request. */
export function plainAnswer(
  oracle: PlainPredictor,
  { species }: PredictorData,
  { species: index, method, ...place }: SiteRequest,
  generatedAt: Date,
): Promise<PlainAnswer> {
  const request = { ...place, species_code: species[index].species_code };
  return method === undefined
    ? oracle.compare(request, generatedAt)
    : oracle.predict({ ...request, planting_method: method }, generatedAt);
}

/** A set of horizons as bits: bit i stands for HORIZONS[i]. Repeated years count once. */
export function horizonSet(years: readonly Horizon[]): number {
  let set = 0;
  for (const year of years) set |= 1 << HORIZONS.indexOf(year);
  return set;
}
