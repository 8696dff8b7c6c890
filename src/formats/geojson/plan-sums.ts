import { BOTH_METHODS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { RowRecords } from '../../prediction/row-record.js';
import { OPTION, ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import type { PlanOrder } from './plan-reader.js';
import type { UnitSites } from './unit-sites.js';

/** A species in a unit. */
export interface UnitSpecies {
  /** Index among the units that have sites. */
  readonly unit: number;
  /** Index into the species list. */
  readonly species: number;
  readonly isNative: boolean;
}

/** Rows of a plan that are predicted together, and whose sums each adds to. */
interface PlanRows {
  readonly rows: SiteRows;
  readonly sums: Uint32Array;
}

/** Probabilities are in ten-thousandths. */
const SCALE = 10_000;

/** A mean of probabilities as reported, 4 decimals. */
export interface SurvivalMeans {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const NUMBERS = 3;

/** The predictions of a plan: their rows, and the sums of what they report, by unit, species and planting method. */
export class PlanSums {
  readonly #sums: Uint32Array;
  readonly #method: number;

  constructor(
    private readonly order: PlanOrder,
    private readonly sites: readonly UnitSites[],
    private readonly entries: readonly UnitSpecies[],
  ) {
    this.#sums = new Uint32Array(entries.length * PLANTING_METHODS.length * NUMBERS);
    this.#method = order.methods.length === PLANTING_METHODS.length ? BOTH_METHODS : order.methods[0];
  }

  /** The rows to predict, in pieces: a row for each site and species, for all methods. */
  *rows(maxRows: number): Generator<PlanRows> {
    let left = this.entries.reduce((sum, { unit }) => sum + this.sites[unit].points.length, 0);
    let piece = this.#empty(Math.min(left, maxRows));
    let row = 0;
    for (const [index, { unit, species }] of this.entries.entries()) {
      const { latitude, longitude } = this.sites[unit];
      for (let site = 0; site < latitude.length; site++) {
        const { rows, sums } = piece;
        rows.latitude[row] = latitude[site];
        rows.longitude[row] = longitude[site];
        rows.species[row] = species;
        sums[row++] = index;
        if (row < rows.count) continue;
        yield piece;
        left -= row;
        row = 0;
        piece = this.#empty(Math.min(left, maxRows));
      }
    }
  }

  /** Adds what the rows of a piece report. */
  add({ sums }: PlanRows, records: RowRecords): void {
    const { horizon, methods } = this.order;
    for (let row = 0; row < records.count; row++) {
      // Sites are grid points, or centroids that were matched to one.
      if (records.status[row] !== ROW_STATUS.answered) throw new Error('a site of a unit has no answer');
      for (const method of methods) {
        const at = this.#at(sums[row], method);
        this.#sums[at] += records.survival(row, method, horizon);
        this.#sums[at + 1] += records.low(row, method, horizon);
        this.#sums[at + 2] += records.high(row, method, horizon);
      }
    }
  }

  /** The means over the sites of a unit. */
  means(entry: number, method: number): SurvivalMeans {
    const count = this.sites[this.entries[entry].unit].points.length;
    const at = this.#at(entry, method);
    const mean = (sum: number) => Math.round(sum / count) / SCALE;
    return { mean: mean(this.#sums[at]), low: mean(this.#sums[at + 1]), high: mean(this.#sums[at + 2]) };
  }

  #empty(count: number): PlanRows {
    const { adjustments, horizon } = this.order;
    const width = adjustments.length;
    const rows = new SiteRows(count, width);
    rows.method.fill(this.#method);
    rows.horizons.fill(1 << horizon);
    rows.options.fill(OPTION.intervals | (width === 0 ? 0 : OPTION.adjusted));
    for (let row = 0; row < count; row++) rows.adjustments.set(adjustments, row * width);
    return { rows, sums: new Uint32Array(count) };
  }

  #at(entry: number, method: number): number {
    return (entry * PLANTING_METHODS.length + method) * NUMBERS;
  }
}
