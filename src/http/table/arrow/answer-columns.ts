import { Dictionary, Float32, Int8, Int16, Utf8, type Vector, vectorFromArray } from 'apache-arrow';
import { RISK_FACTOR_COUNT } from '../../../prediction/dimensions.js';
import type { RowRecords } from '../../../prediction/encoding/row-record.js';
import { DictionaryColumn, NumberColumn } from './column-builders.js';

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

/** Texts that columns refer to by their index. */
export class TextList {
  readonly type: Dictionary<Utf8, Int8 | Int16>;
  readonly #texts: Vector<Utf8>;

  constructor(texts: readonly string[], id: number) {
    const text = new Utf8();
    this.#texts = vectorFromArray(texts, text);
    this.type = new Dictionary(text, texts.length < 2 ** 7 ? new Int8() : new Int16(), id);
  }

  column(count: number): DictionaryColumn {
    return new DictionaryColumn(count, this.type, this.#texts);
  }
}
