import type { Artefacts } from './artefacts/artefacts.js';

/** What requests are checked against and predictions made from; plain data that can be passed to another thread. */
export interface PredictorData extends Artefacts {
  readonly searchRadiusKm: number;
  /** Memory for the caches of one predictor; 0 disables them. */
  readonly cacheBytes: number;
}

/** Caches what `make` derives from an object, mostly the data of a generation, as long as the object lives. */
export function perGeneration<Made, Generation extends object = PredictorData>(
  make: (generation: Generation) => Made,
): (generation: Generation) => Made {
  const made = new WeakMap<Generation, Made>();
  return (generation) => {
    const one = made.get(generation) ?? make(generation);
    made.set(generation, one);
    return one;
  };
}
