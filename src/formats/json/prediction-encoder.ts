import type { Manifest } from '../../prediction/artefacts/manifest.js';
import { HORIZONS, RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import { factorCode } from '../../prediction/model/prediction-numbers.js';
import { numbersAt, type RowRecords } from '../../prediction/row-record.js';
import type { DetailEncoder } from './detail-encoder.js';
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
   * Writes the predictions of a method for a set of horizons, ascending, separated by commas.
   * @param details what `include` adds; undefined where the row includes nothing
   */
  write(
    { numbers }: RowRecords,
    row: number,
    method: number,
    horizons: number,
    details: DetailEncoder | undefined,
  ): void {
    const { writer } = this;
    let isFirst = true;
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      if (!isFirst) writer.write(COMMA);
      isFirst = false;
      let from = numbersAt(row, method, h);
      writer.write(OPEN_PREDICTION[h]);
      writer.writeTenThousandths(numbers[from++]);
      for (let rank = 0; rank < RISK_FACTOR_COUNT; rank++) {
        writer.writeOf(rank === 0 ? this.#first : this.#following, numbers[from++]);
        writer.writeTenThousandths(numbers[from++]);
      }
      if (details === undefined) writer.write(CLOSE_PREDICTION);
      else {
        writer.write(CLOSE_RISK_FACTORS);
        details.writePrediction(method, h);
        writer.write(CLOSE);
      }
    }
  }
}
