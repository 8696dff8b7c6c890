import { Coverage } from '../../prediction/locate/coverage.js';
import { NearestPoint } from '../../prediction/locate/nearest-point.js';
import { type GenerationData, perGeneration } from '../../prediction/per-generation.js';

/** The coverage of a generation. */
export const coverageOf = perGeneration(({ artefacts }: GenerationData) => new Coverage(artefacts.regions));

/** The search for the nearest data of a generation. */
export const nearestDataOf = perGeneration(
  ({ artefacts, searchRadiusKm }: GenerationData) => new NearestPoint(artefacts.grid.index, searchRadiusKm),
);

/** The place within the coverage that was probably meant by one outside, as a sentence after a space; '' for none. */
export function placeHint(generation: GenerationData, latitude: number, longitude: number): string {
  const mistakes = [
    [latitude, -longitude, 'the minus before the longitude is missing'],
    [longitude, latitude, 'latitude and longitude are swapped'],
    [
      longitude,
      -latitude,
      'latitude and longitude are swapped and the minus before the longitude is missing',
    ],
  ] as const;
  for (const [north, east, mistake] of mistakes) {
    if (coverageOf(generation).contains(east, north))
      return ` Did you mean latitude ${north}, longitude ${east}? It looks as if ${mistake}.`;
  }
  return '';
}
