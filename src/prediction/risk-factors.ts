import { tenThousandths } from './ten-thousandths.js';

/** Risk factors reported with each prediction. */
export const RISK_FACTOR_COUNT = 3;

/** Finds the risk factors of a prediction among the contributions of its features. */
export class RiskFactors {
  /** The top features, most influential first. */
  readonly features = new Uint16Array(RISK_FACTOR_COUNT);
  /** The contribution of each of them, signed ten-thousandths of probability. */
  readonly contributions = new Int32Array(RISK_FACTOR_COUNT);

  readonly #candidates: readonly number[];

  /** @param candidates indexes of the features that may be risk factors, ascending; at least 3. */
  constructor(candidates: readonly number[]) {
    this.#candidates = candidates;
  }

  /**
   * Ranks by the reported magnitude; equal ones stay in the models' feature order.
   * @param contributions Float32, the features of one prediction start at `offset`.
   */
  rank(contributions: Float32Array, offset: number): void {
    let first = -1;
    let second = -1;
    let third = -1;
    let firstFeature = 0;
    let secondFeature = 0;
    let thirdFeature = 0;
    for (const feature of this.#candidates) {
      const magnitude = Math.abs(tenThousandths(contributions[offset + feature]!));
      if (magnitude <= third) continue;
      if (magnitude > second) {
        third = second;
        thirdFeature = secondFeature;
        if (magnitude > first) {
          second = first;
          secondFeature = firstFeature;
          first = magnitude;
          firstFeature = feature;
        } else {
          second = magnitude;
          secondFeature = feature;
        }
      } else {
        third = magnitude;
        thirdFeature = feature;
      }
    }
    this.features[0] = firstFeature;
    this.features[1] = secondFeature;
    this.features[2] = thirdFeature;
    for (let i = 0; i < RISK_FACTOR_COUNT; i++) {
      this.contributions[i] = tenThousandths(contributions[offset + this.features[i]!]!);
    }
  }
}
