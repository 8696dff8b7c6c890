/** The answer of POST /v1/predict, as far as a ranking reads it. */
interface PredictionAnswer {
  readonly site: { readonly in_native_range?: boolean };
  readonly predictions: readonly { readonly horizon_years: number; readonly survival_probability: number }[];
  readonly model: object;
  readonly generated_at: string;
}

/**
 * The answer of POST /v1/predict/rank, put together from answers of POST /v1/predict for one site: best first by survival
 * at the longest horizon.
 * @param answers at least one, in the order of ties
 * @param isNative says by index whether the species of an answer is native to the site
 * @param isEmpty whether the ranking is empty, and only the site of the answers is used
 */
export function rankingBody(
  answers: Iterable<Buffer>,
  isNative: (index: number) => boolean,
  isEmpty: boolean,
): string {
  const parsed = Array.from(answers, (json) => JSON.parse(json.toString()) as PredictionAnswer);
  const [{ site, predictions, model, generated_at }] = parsed;
  const { in_native_range: _, ...place } = site; // of one species: each entry has its own
  const entries = parsed.map(
    ({ site: _site, predictions, model: _model, generated_at: _time, ...species }, index) => {
      return { ...species, in_native_range: isNative(index), predictions };
    },
  );
  const survivalOf = ({ predictions }: Pick<PredictionAnswer, 'predictions'>) =>
    predictions.at(-1)?.survival_probability ?? 0;
  const ranking = (isEmpty ? [] : entries)
    .sort((a, b) => survivalOf(b) - survivalOf(a))
    .map((entry, index) => ({ rank: index + 1, ...entry }));
  const horizon_years = predictions.at(-1)?.horizon_years;
  return JSON.stringify({ site: place, horizon_years, ranking, model, generated_at });
}
