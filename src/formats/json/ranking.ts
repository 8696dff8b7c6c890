import type { Horizon } from '../../prediction/dimensions.js';

/** The answer of POST /v1/predict, as far as a ranking reads it. */
interface PredictionAnswer {
  readonly site: { readonly in_native_range?: boolean };
  readonly predictions: readonly { readonly survival_probability: number }[];
  readonly model: object;
  readonly generated_at: string;
}

interface RankedRow {
  readonly isNative: boolean;
  /** The answer of POST /v1/predict. */
  readonly answer: Buffer;
}

/**
 * The answer of POST /v1/predict/rank, put together from answers of POST /v1/predict: best first.
 * @param first any answer for the site, which may be of a row that is not listed
 * @param listed the rows to list, in the order of ties
 * @param horizon the longest asked for, by which they are ordered
 */
export function rankingBody(first: Buffer, listed: readonly RankedRow[], horizon: Horizon): string {
  const { site, model, generated_at } = parse(first);
  const { in_native_range: _, ...place } = site; // of one species: each entry has its own
  const entries = listed.map(({ isNative, answer }) => {
    const { site: _site, predictions, model: _model, generated_at: _time, ...species } = parse(answer);
    const survival = predictions.at(-1)?.survival_probability ?? 0;
    return { survival, entry: { ...species, in_native_range: isNative, predictions } };
  });
  const ranking = entries
    .sort((a, b) => b.survival - a.survival)
    .map(({ entry }, index) => ({ rank: index + 1, ...entry }));
  return JSON.stringify({ site: place, horizon_years: horizon, ranking, model, generated_at });
}

function parse(answer: Buffer): PredictionAnswer {
  return JSON.parse(answer.toString()) as PredictionAnswer;
}
