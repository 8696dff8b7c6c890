import { speciesCatalogue } from '../../prediction/artefacts/species.js';
import { coverageOf, memoize, type PredictorData } from '../../prediction/predictor-data.js';

export const speciesOf = memoize(({ species }: PredictorData) => speciesCatalogue(species));

const SWAPPED = 'latitude and longitude are swapped';
const NO_MINUS = 'the minus before the longitude is missing';

/** A sentence, after a space, with the place that one outside the coverage was probably meant to be; '' for none. */
export function placeHint(data: PredictorData, latitude: number, longitude: number): string {
  const mistakes = [
    [latitude, -longitude, NO_MINUS],
    [longitude, latitude, SWAPPED],
    [longitude, -latitude, `${SWAPPED} and ${NO_MINUS}`],
  ] as const;
  for (const [north, east, mistake] of mistakes) {
    if (coverageOf(data).contains(east, north))
      return ` Did you mean latitude ${north}, longitude ${east}? It looks as if ${mistake}.`;
  }
  return '';
}
