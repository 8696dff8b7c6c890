import { tenThousandths } from '../encoding/ten-thousandths.js';

/** Risk factors reported with each prediction. */
export const RISK_FACTOR_COUNT = 3;

/** Finds the risk factors of a prediction among the contributions of its features. */
export class RiskFactors {
  /** The top features, most influential first. */
  readonly features = new Uint16Array(RISK_FACTOR_COUNT);
  /** The magnitude of each of them, ten-thousandths of probability. */
  readonly magnitudes = new Uint16Array(RISK_FACTOR_COUNT);

  readonly #candidates: Uint16Array;

  /** @param candidates indexes of the features that may be risk factors, ascending; at least 3. */
  constructor(candidates: readonly number[]) {
    this.#candidates = Uint16Array.from(candidates);
  }

  /**
   * Ranks by the reported magnitude; equal ones stay in the models' feature order.
   * @param contributions Float32, the features of one prediction start at `offset`.
   */
  rank(contributions: Float32Array, offset: number): void {
    const candidates = this.#candidates;
    let first = -1;
    let second = -1;
    let third = -1;
    let firstFeature = 0;
    let secondFeature = 0;
    let thirdFeature = 0;
    for (let i = 0; i < candidates.length; i++) {
      const feature = candidates[i];
      const magnitude = tenThousandths(Math.abs(contributions[offset + feature]));
      if (magnitude <= third) continue;
      if (magnitude <= second) {
        third = magnitude;
        thirdFeature = feature;
        continue;
      }
      third = second;
      thirdFeature = secondFeature;
      if (magnitude <= first) {
        second = magnitude;
        secondFeature = feature;
        continue;
      }
      second = first;
      secondFeature = firstFeature;
      first = magnitude;
      firstFeature = feature;
    }
    this.features[0] = firstFeature;
    this.features[1] = secondFeature;
    this.features[2] = thirdFeature;
    this.magnitudes[0] = first;
    this.magnitudes[1] = second;
    this.magnitudes[2] = third;
  }
}
