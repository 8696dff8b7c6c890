import type { Manifest } from '../artefacts/manifest.js';
import { HORIZONS } from '../dimensions.js';
import { tenThousandths } from '../encoding/ten-thousandths.js';
import { RISK_FACTOR_COUNT, RiskFactors } from './risk-factors.js';
import type { Survival } from './survival-model.js';

/**
 * All that is reported of one method at one site, as whole numbers (uint16). For each horizon: the survival probability
 * in ten-thousandths; then for each risk factor, most influential first, its code (see `factorCode`) and its magnitude
 * in ten-thousandths.
 */
export const HORIZON_NUMBERS = 1 + 2 * RISK_FACTOR_COUNT;
export const PREDICTION_NUMBERS = HORIZONS.length * HORIZON_NUMBERS;

/** So many features have codes of 16 bits. */
export const MAX_FEATURES = 2 ** 15;

/** A feature with the sign of its contribution. */
export function factorCode(feature: number, isNegative: boolean): number {
  return 2 * feature + (isNegative ? 1 : 0);
}

/** Turns the models' outputs into what is reported of them. */
export class PredictionReporter {
  readonly #riskFactors: RiskFactors;
  readonly #featureCount: number;

  constructor({ features }: Manifest) {
    this.#riskFactors = new RiskFactors(
      features.flatMap((feature, index) => (feature.risk_factor ? [index] : [])),
    );
    this.#featureCount = features.length;
  }

  /**
   * Reports one prediction.
   * @param position where it stands in the model's output
   * @param numbers where to: PREDICTION_NUMBERS from `at` on
   */
  report({ survival, contributions }: Survival, position: number, numbers: Uint16Array, at: number): void {
    let to = at;
    for (let h = position * HORIZONS.length; h < (position + 1) * HORIZONS.length; h++) {
      numbers[to++] = tenThousandths(survival[h]);
      const offset = h * this.#featureCount;
      this.#riskFactors.rank(contributions, offset);
      for (let rank = 0; rank < RISK_FACTOR_COUNT; rank++) {
        const feature = this.#riskFactors.features[rank];
        numbers[to++] = factorCode(feature, contributions[offset + feature] < 0);
        numbers[to++] = this.#riskFactors.magnitudes[rank];
      }
    }
  }
}
