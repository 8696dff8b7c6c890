import type { Manifest } from '../../prediction/artefacts/manifest.js';
import { HORIZONS, RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import {
  factorCode,
  HORIZON_NUMBERS,
  PREDICTION_NUMBERS,
} from '../../prediction/model/prediction-numbers.js';
import type { DetailEncoder, RowDetails } from './detail-encoder.js';
import { FragmentTable, fragment, type JsonWriter } from './json-writer.js';

const OPEN_PREDICTION = HORIZONS.map((years) =>
  fragment(`{"horizon_years":${years},"survival_probability":`),
);
const CLOSE_PREDICTION = fragment('}]}');
const CLOSE_RISK_FACTORS = fragment('}]');
const CLOSE = fragment('}');
const COMMA = fragment(',');

/** The maximum size of one method's predictions in bytes. */
export function predictionsCapacity({ features }: Manifest): number {
  const longestLabel = Math.max(...features.map(({ label }) => Buffer.byteLength(JSON.stringify(label))));
  return HORIZONS.length * (100 + RISK_FACTOR_COUNT * (longestLabel + 100));
}

/** Writes the predictions of one method at one site. */
export class PredictionEncoder {
  /** The JSON that opens a risk factor, by its code. */
  readonly #first: FragmentTable;
  readonly #following: FragmentTable;

  constructor(
    private readonly writer: JsonWriter,
    private readonly encoder: DetailEncoder,
    { features }: Manifest,
  ) {
    const open = (before: string) => {
      const byCode: string[] = [];
      features.forEach(({ label }, feature) => {
        for (const impact of ['positive', 'negative'])
          byCode[factorCode(feature, impact === 'negative')] =
            `${before}{"factor":${JSON.stringify(label)},"impact":"${impact}","magnitude":`;
      });
      return new FragmentTable(byCode);
    };
    this.#first = open(',"risk_factors":[');
    this.#following = open('},');
  }

  /**
   * Writes the predictions of a set of horizons, ascending, separated by commas.
   * @param numbers holds PREDICTION_NUMBERS values for each planting method, starting at `at`
   */
  write(
    numbers: Uint16Array,
    at: number,
    method: number,
    horizons: number,
    details: RowDetails | undefined,
  ): void {
    const { writer } = this;
    let isFirst = true;
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      if (!isFirst) writer.write(COMMA);
      isFirst = false;
      let from = at + method * PREDICTION_NUMBERS + h * HORIZON_NUMBERS;
      writer.write(OPEN_PREDICTION[h]);
      writer.writeTenThousandths(numbers[from++]);
      for (let rank = 0; rank < RISK_FACTOR_COUNT; rank++) {
        writer.writeOf(rank === 0 ? this.#first : this.#following, numbers[from++]);
        writer.writeTenThousandths(numbers[from++]);
      }
      if (details === undefined) writer.write(CLOSE_PREDICTION);
      else {
        writer.write(CLOSE_RISK_FACTORS);
        if (details.drawn !== undefined)
          this.encoder.writeInterval(
            details.drawn,
            method,
            h,
            numbers[at + method * PREDICTION_NUMBERS + h * HORIZON_NUMBERS],
          );
        if (details.explained !== undefined) this.encoder.writeExplanation(details.explained[method], h);
        writer.write(CLOSE);
      }
    }
  }
}
