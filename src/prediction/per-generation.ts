import type { Artefacts } from './artefacts/artefacts.js';

/** What requests are checked against: a part of a generation, and plain data that can be passed to another thread. */
export interface GenerationData {
  readonly artefacts: Pick<Artefacts, 'grid' | 'manifest' | 'species' | 'regions'>;
  readonly searchRadiusKm: number;
}

/** Makes something of a generation, or of another object, when it is first asked for, and keeps it as long as that. */
export function perGeneration<Made extends object, Generation extends object = GenerationData>(
  make: (generation: Generation) => Made,
): (generation: Generation) => Made {
  const made = new WeakMap<Generation, Made>();
  return (generation) => {
    const one = made.get(generation) ?? make(generation);
    made.set(generation, one);
    return one;
  };
}
