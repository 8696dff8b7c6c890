import type { Manifest } from '../artefacts/manifest.js';
import { HORIZONS, RISK_FACTOR_COUNT } from '../dimensions.js';
import type { Survival } from './model-session.js';

/**
 * What is reported of one method at one site, as whole numbers (uint16). For each horizon: the survival probability in
 * ten-thousandths; then for each risk factor, largest magnitude first, its code (see `factorCode`) and its magnitude in
 * ten-thousandths.
 */
export const HORIZON_NUMBERS = 1 + 2 * RISK_FACTOR_COUNT;
export const PREDICTION_NUMBERS = HORIZONS.length * HORIZON_NUMBERS;

/** The code of a feature with the sign of its contribution. */
export function factorCode(feature: number, isNegative: boolean): number {
  return 2 * feature + (isNegative ? 1 : 0);
}

/** Rounds a probability to 4 decimals, halves up. @returns 0 to 10,000, also for values that break the model contract */
export function tenThousandths(probability: number): number {
  return Math.max(0, Math.min(10_000, probability * 10_000 + 0.5)) | 0;
}

const MAX_UINT16 = 2 ** 16 - 1;

/**
 * The magnitude of a contribution in ten-thousandths, halves up, at most 65,535. Contributions that offset each other
 * may exceed 1 where a caller states extreme conditions.
 */
export function magnitudeOf(contribution: number): number {
  return Math.min(MAX_UINT16, Math.abs(contribution) * 10_000 + 0.5) | 0;
}

/** Turns the outputs of models into reported numbers. */
export class PredictionReporter {
  readonly #featureCount: number;
  /** Indexes of the features that may be risk factors, ascending; at least 3. */
  readonly #candidates: Uint16Array;

  constructor({ features }: Pick<Manifest, 'features'>) {
    this.#featureCount = features.length;
    this.#candidates = Uint16Array.from(
      features.flatMap((feature, index) => (feature.risk_factor ? [index] : [])),
    );
  }

  /**
   * Reports one prediction.
   * @param position its row in the model's output
   * @param numbers receives PREDICTION_NUMBERS values, starting at `at`
   * @throws Error where the model gave survival outside 0 to 1 or rising with the horizon, or values that are not numbers
   */
  report({ survival, contributions }: Survival, position: number, numbers: Uint16Array, at: number): void {
    for (let h = 0; h < HORIZONS.length; h++) {
      const output = position * HORIZONS.length + h;
      const to = at + h * HORIZON_NUMBERS;
      numbers[to] = tenThousandths(survival[output]);
      const sum = this.#reportRiskFactors(contributions, output * this.#featureCount, numbers, to + 1);
      const reported = survival[output] * 10_000 + 0.5;
      const isInRange =
        reported >= 0 && reported < 10_001 && (h === 0 || numbers[to] <= numbers[to - HORIZON_NUMBERS]);
      if (!isInRange || !Number.isFinite(sum))
        throw new Error(`the model gave survival ${survival[output]}, contributions that sum to ${sum}`);
    }
  }

  /** Reports the 3 candidates of largest rounded magnitude, of equals the first. @returns the sum of all contributions */
  #reportRiskFactors(contributions: Float32Array, offset: number, numbers: Uint16Array, to: number): number {
    const candidates = this.#candidates;
    let first = 0;
    let second = 0;
    let third = 0;
    let sum = 0;
    for (let i = 0; i < candidates.length; i++) {
      const feature = candidates[i];
      const contribution = contributions[offset + feature];
      sum += contribution;
      let rest = rankingKey(magnitudeOf(contribution), feature);
      // Larger and smaller without branches, which would be mispredicted in every second row.
      let larger = rest - first;
      larger &= ~(larger >> 31);
      first += larger;
      rest -= larger;
      larger = rest - second;
      larger &= ~(larger >> 31);
      second += larger;
      rest -= larger;
      larger = rest - third;
      third += larger & ~(larger >> 31);
    }
    writeRiskFactor(first, contributions, offset, numbers, to);
    writeRiskFactor(second, contributions, offset, numbers, to + 2);
    writeRiskFactor(third, contributions, offset, numbers, to + 4);
    return sum;
  }
}

const FEATURE_BITS = 15;
const MAX_FEATURE = 2 ** FEATURE_BITS - 1;

/** Orders risk factors: larger for larger magnitudes, of equal ones for the first feature. Less than 2^31. */
function rankingKey(magnitude: number, feature: number): number {
  return (magnitude << FEATURE_BITS) | (MAX_FEATURE - feature);
}

function writeRiskFactor(
  key: number,
  contributions: Float32Array,
  offset: number,
  numbers: Uint16Array,
  to: number,
): void {
  const feature = MAX_FEATURE - (key & MAX_FEATURE);
  numbers[to] = factorCode(feature, contributions[offset + feature] < 0);
  numbers[to + 1] = key >> FEATURE_BITS;
}
