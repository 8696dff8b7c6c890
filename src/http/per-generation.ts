import type { Generation } from '../service/models/generation.js';

/** Makes something of a generation when it is first asked for, and keeps it as long as the generation. */
export function perGeneration<Made extends object>(
  make: (generation: Generation) => Made,
): (generation: Generation) => Made {
  const made = new WeakMap<Generation, Made>();
  return (generation) => {
    let one = made.get(generation);
    if (one === undefined) {
      one = make(generation);
      made.set(generation, one);
    }
    return one;
  };
}
