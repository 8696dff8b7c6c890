import { HORIZONS } from './horizon.js';
import { type Fragment, fragment, type JsonWriter } from './json-writer.js';
import type { Manifest } from './manifest.js';
import { RISK_FACTOR_COUNT, RiskFactors } from './risk-factors.js';
import type { Survival } from './survival-model.js';
import { tenThousandths, writeFraction } from './ten-thousandths.js';

/** A model's output for some of a set of rows. */
export interface Predicted {
  readonly survival: Survival;
  /** Int32: where the result of each row stands in the output; -1 for one the model was not run on. */
  readonly positions: Int32Array;
}

/** The JSON that opens a factor, by the feature's index. */
interface FactorFragments {
  readonly negative: readonly Fragment[];
  readonly positive: readonly Fragment[];
}

const OPEN_PREDICTION = HORIZONS.map((years) =>
  fragment(`{"horizon_years":${years},"survival_probability":`),
);
const CLOSE_PREDICTION = fragment('}]}');
const COMMA = fragment(',');

/** Bytes that the predictions of one method take at most. */
export function predictionsCapacity({ features }: Manifest): number {
  const longestLabel = Math.max(...features.map(({ label }) => Buffer.byteLength(JSON.stringify(label))));
  return HORIZONS.length * (100 + RISK_FACTOR_COUNT * (longestLabel + 100));
}

/** Writes the predictions of one method at one site. */
export class PredictionEncoder {
  readonly #riskFactors: RiskFactors;
  readonly #featureCount: number;
  readonly #first: FactorFragments;
  readonly #following: FactorFragments;

  constructor({ features }: Manifest) {
    this.#riskFactors = new RiskFactors(
      features.flatMap((feature, index) => (feature.risk_factor ? [index] : [])),
    );
    this.#featureCount = features.length;
    const open = (before: string, impact: string) =>
      features.map(({ label }) =>
        fragment(`${before}{"factor":${JSON.stringify(label)},"impact":"${impact}","magnitude":`),
      );
    this.#first = {
      negative: open(',"risk_factors":[', 'negative'),
      positive: open(',"risk_factors":[', 'positive'),
    };
    this.#following = { negative: open('},', 'negative'), positive: open('},', 'positive') };
  }

  /**
   * Writes the predictions of a set of horizons, ascending, with commas between them.
   * @param position where the row stands in the model's output
   */
  write(writer: JsonWriter, survival: Survival, position: number, horizons: number): void {
    let isFirst = true;
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      if (!isFirst) writer.write(COMMA);
      isFirst = false;
      const at = position * HORIZONS.length + h;
      writer.write(OPEN_PREDICTION[h]!);
      writeFraction(writer, tenThousandths(survival.survival[at]!));
      this.#riskFactors.rank(survival.contributions, at * this.#featureCount);
      for (let rank = 0; rank < RISK_FACTOR_COUNT; rank++) {
        const feature = this.#riskFactors.features[rank]!;
        const { negative, positive } = rank === 0 ? this.#first : this.#following;
        const isNegative = survival.contributions[at * this.#featureCount + feature]! < 0;
        writer.write(isNegative ? negative[feature]! : positive[feature]!);
        writeFraction(writer, this.#riskFactors.magnitudes[rank]!);
      }
      writer.write(CLOSE_PREDICTION);
    }
  }
}
