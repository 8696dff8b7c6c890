import { Float32 } from 'apache-arrow';
import { RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import type { RowRecords } from '../../prediction/row-record.js';
import { type DictionaryColumn, NumberColumn, type TextList } from './column-builders.js';

/** Reported numbers are integers: ten-thousandths. */
const REPORTED_SCALE = 10_000;

/** Our columns of a horizon. */
export class HorizonColumns {
  /** In the order of `horizonColumns`. */
  readonly columns: readonly (NumberColumn | DictionaryColumn)[];
  readonly #survival: NumberColumn;
  readonly #factors: readonly DictionaryColumn[];
  readonly #contributions: readonly NumberColumn[];
  readonly #ends: readonly NumberColumn[];

  /** @param h index into HORIZONS */
  constructor(
    private readonly h: number,
    count: number,
    intervals: boolean,
    factors: TextList,
  ) {
    const numbers = () => new NumberColumn(count, new Float32());
    const ranks = Array.from({ length: RISK_FACTOR_COUNT });
    this.#survival = numbers();
    this.#factors = ranks.map(() => factors.column(count));
    this.#contributions = ranks.map(numbers);
    this.#ends = intervals ? [numbers(), numbers()] : [];
    const ofRanks = ranks.flatMap((_, rank) => [this.#factors[rank], this.#contributions[rank]]);
    this.columns = [this.#survival, ...ofRanks, ...this.#ends];
  }

  set(row: number, records: RowRecords, record: number, method: number): void {
    const { h } = this;
    this.#survival.values[row] = records.survival(record, method, h) / REPORTED_SCALE;
    for (let rank = 0; rank < RISK_FACTOR_COUNT; rank++) {
      this.#factors[rank].indexes[row] = records.riskFactor(record, method, h, rank);
      this.#contributions[rank].values[row] = records.contribution(record, method, h, rank) / REPORTED_SCALE;
    }
    if (this.#ends.length === 0) return;
    const [low, high] = this.#ends;
    low.values[row] = records.low(record, method, h) / REPORTED_SCALE;
    high.values[row] = records.high(record, method, h) / REPORTED_SCALE;
  }
}
