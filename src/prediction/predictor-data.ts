import type { Artefacts } from './artefacts/artefacts.js';
import { regionCoverage } from './locate/coverage.js';
import { NearestPoint } from './locate/nearest-point.js';

/** What requests are checked against and predictions made from; plain data that can be passed to another thread. */
export interface PredictorData extends Artefacts {
  readonly searchRadiusKm: number;
  /** Memory for the caches of one predictor; 0 disables them. */
  readonly cacheBytes: number;
}

/** Keeps what `make` derives from an object, mostly the data of a generation, as long as the object lives. */
export function memoize<Made, Source extends object = PredictorData>(
  make: (source: Source) => Made,
): (source: Source) => Made {
  const made = new WeakMap<Source, Made>();
  return (source) => {
    const one = made.get(source) ?? make(source);
    made.set(source, one);
    return one;
  };
}

export const coverageOf = memoize(({ regions }: PredictorData) => regionCoverage(regions));

/** One for all that search in a thread: read its `distanceKm` before anything else searches. */
export const nearestDataOf = memoize(
  ({ grid, searchRadiusKm }: PredictorData) => new NearestPoint(grid.index, searchRadiusKm),
);
