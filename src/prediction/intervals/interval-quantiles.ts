import { HORIZONS } from '../dimensions.js';
import type { Draws } from './interval-predictor.js';

/** Finds the ends of intervals among draws, in ten-thousandths, halves up like survival. */
export class IntervalQuantiles {
  /** The ends of the interval found last. */
  low = 0;
  high = 0;
  /** Ascending, of one row and horizon. */
  #draws = new Float64Array(0);

  /** @param level the probability that the interval contains the value */
  constructor(private readonly level: number) {}

  /**
   * Finds the interval of one method's survival.
   * @param h index into HORIZONS
   * @param reported the survival that is reported, in ten-thousandths: never outside
   */
  ofMethod(draws: Draws, row: number, h: number, reported: number): void {
    const { values } = draws;
    const first = this.#begin(draws, row, h);
    for (let d = 0; d < this.#draws.length; d++) this.#draws[d] = values[first + d];
    this.#end(reported);
  }

  /**
   * Finds the interval of the difference between two methods: draw by draw, since a draw is the same world for both.
   * @param reported the difference that is reported, in ten-thousandths: never outside
   */
  ofDifference(draws: Draws, subtracted: Draws, row: number, h: number, reported: number): void {
    const first = this.#begin(draws, row, h);
    const other = this.#begin(subtracted, row, h);
    for (let d = 0; d < this.#draws.length; d++)
      this.#draws[d] = draws.values[first + d] - subtracted.values[other + d];
    this.#end(reported);
  }

  /** @returns where the draws of a row and horizon start */
  #begin({ values, positions, count }: Draws, row: number, h: number): number {
    const drawCount = values.length / (count * HORIZONS.length);
    if (drawCount !== this.#draws.length) this.#draws = new Float64Array(drawCount);
    return (positions[row] * HORIZONS.length + h) * drawCount;
  }

  #end(reported: number): void {
    this.#draws.sort();
    const tail = (1 - this.level) / 2;
    this.low = Math.min(reported, this.#quantile(tail));
    this.high = Math.max(reported, this.#quantile(1 - tail));
  }

  /** A quantile in ten-thousandths, linear between the draws: type 7 of Hyndman and Fan (1996), NumPy's default. */
  #quantile(share: number): number {
    const draws = this.#draws;
    const at = share * (draws.length - 1);
    const below = Math.floor(at);
    const above = Math.min(below + 1, draws.length - 1);
    const value = draws[below] + (at - below) * (draws[above] - draws[below]);
    return Math.floor(value * 10_000 + 0.5);
  }
}
