import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import type { Species } from '../../prediction/artefacts/species.js';
import { BOTH_METHODS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { Predictor } from '../../prediction/predictor.js';
import { RowRecords } from '../../prediction/row-record.js';
import { OPTION, ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import { compareText } from '../json/ranking.js';
import type { PlanOrder } from './plan-reader.js';
import type { Plan, UnitSites, UnitSpecies } from './planner.js';
import { plantingOrder } from './planting-order.js';

interface PlanEntry extends UnitSpecies {
  readonly sites: UnitSites;
  /** Its first row in the plan; it has one for each of the sites. */
  readonly firstRow: number;
}

/** What is reported of a row for a planting method, in ten-thousandths: survival and the ends of its interval. */
const NUMBERS = 3;
const SCALE = 10_000;
const ROW_NUMBERS = NUMBERS * PLANTING_METHODS.length;

/** Rows of a plan that are predicted together; plain data that can be passed to another thread. */
export interface PlanSlice {
  readonly order: PlanOrder;
  /** The memory of their SiteRows. */
  readonly memory: ArrayBufferLike;
  /** The number of rows before them in the plan. */
  readonly from: number;
  readonly count: number;
  readonly width: number;
}

/** The reported numbers of a slice, Uint16 [rows, methods, 3], and the time in the models. */
export interface SliceNumbers {
  readonly numbers: Uint16Array;
  readonly inferenceMs: number;
}

export async function predictSlice(
  { order: { horizon, methods }, memory, count, width }: PlanSlice,
  predictor: Predictor,
): Promise<SliceNumbers> {
  const rows = new SiteRows(count, width, memory);
  const records = RowRecords.create(rows);
  const { inferenceMs } = await predictor.predict(rows, records);
  const numbers = new Uint16Array(count * ROW_NUMBERS);
  for (let row = 0; row < count; row++) {
    // Sites are grid points, or centroids that were matched to one.
    if (records.status[row] !== ROW_STATUS.answered) throw new Error('a site of a unit has no answer');
    for (const method of methods) {
      const at = row * ROW_NUMBERS + method * NUMBERS;
      numbers[at] = records.survival(row, method, horizon);
      numbers[at + 1] = records.low(row, method, horizon);
      numbers[at + 2] = records.high(row, method, horizon);
    }
  }
  return { numbers, inferenceMs };
}

const COST_DECIMALS = 4;

/** The predictions of a plan: their rows, their numbers, and the answer. */
export class PlanAnswer {
  /** Unit by unit. */
  readonly #entries: readonly PlanEntry[];
  readonly #numbers: Uint16Array;

  constructor(private readonly plan: Plan) {
    let rows = 0;
    this.#entries = plan.units.flatMap((unit) => {
      if (unit.error !== undefined) return [];
      const { sites } = unit;
      return unit.species.map((each) => {
        const firstRow = rows;
        rows += sites.points.length;
        return { ...each, sites, firstRow };
      });
    });
    this.#numbers = new Uint16Array(rows * ROW_NUMBERS);
  }

  /** The rows to predict, in slices: a row for each site and species, for all methods. */
  *slices(maxRows: number): Generator<PlanSlice> {
    const { order } = this.plan;
    const { adjustments, horizon, methods } = order;
    const width = adjustments.length;
    const total = this.#numbers.length / ROW_NUMBERS;
    let entry = 0;
    let site = 0;
    for (let from = 0; from < total; from += maxRows) {
      const count = Math.min(total - from, maxRows);
      const rows = new SiteRows(count, width);
      rows.method.fill(methods.length === PLANTING_METHODS.length ? BOTH_METHODS : methods[0]);
      rows.horizons.fill(1 << horizon);
      rows.options.fill(OPTION.intervals | (width === 0 ? 0 : OPTION.adjusted));
      for (let row = 0; row < count; row++) {
        while (site === this.#entries[entry].sites.points.length) [entry, site] = [entry + 1, 0];
        const { species, sites } = this.#entries[entry];
        rows.latitude[row] = sites.latitude[site];
        rows.longitude[row] = sites.longitude[site++];
        rows.species[row] = species;
        rows.adjustments.set(adjustments, row * width);
      }
      yield { order, memory: rows.latitude.buffer, from, count, width };
    }
  }

  add({ from }: PlanSlice, { numbers }: SliceNumbers): void {
    this.#numbers.set(numbers, from * ROW_NUMBERS);
  }

  /** The elements of `units` in the answer, as JSON. */
  async elements({ species }: Pick<Artefacts, 'species'>): Promise<string[]> {
    const elements: string[] = [];
    let entry = 0;
    for (const unit of this.plan.units) {
      await nextTurn(); // a unit takes milliseconds at most
      if (unit.error !== undefined) {
        elements.push(JSON.stringify(unit));
        continue;
      }
      const { areaHa, dataPoints, nearestKm } = unit.sites;
      elements.push(
        JSON.stringify({
          id: unit.id,
          area_ha: areaHa,
          data_points: dataPoints,
          nearest_km: nearestKm,
          options: this.#options(entry, unit.species.length, species),
        }),
      );
      entry += unit.species.length;
    }
    return elements;
  }

  /**
   * The options of a unit, whose entries are `count` from `first` on, ranked: by cost per survivor where there are costs, those without survivors last, else by
   * survival; ties by species code, then manual first.
   */
  #options(first: number, count: number, species: readonly Species[]) {
    const { methods, costs, target } = this.plan.order;
    const options = this.#entries.slice(first, first + count).flatMap((entry) =>
      methods.map((method) => {
        const { species_code, common_name } = species[entry.species];
        const survival = this.#survival(entry, method);
        const cost = costs?.[method];
        return {
          species_code,
          species_common_name: common_name,
          planting_method: PLANTING_METHODS[method],
          in_native_range: entry.isNative,
          survival,
          ...(cost !== undefined && { cost_per_survivor: costPerSurvivor(cost, survival.mean) }),
          ...(target !== undefined && {
            order: plantingOrder(target.perHa, survival[target.basis], entry.sites.areaHa, cost),
          }),
        };
      }),
    );
    type Option = (typeof options)[number];
    const costOf = ({ cost_per_survivor }: Option) => cost_per_survivor ?? Number.POSITIVE_INFINITY;
    const byCost = (a: Option, b: Option) => (costOf(a) === costOf(b) ? 0 : costOf(a) - costOf(b));
    const bySurvival = (a: Option, b: Option) => b.survival.mean - a.survival.mean;
    const compare = costs === undefined ? bySurvival : byCost;
    // The options of a species are in the order of the methods, and the sort is stable.
    return options
      .sort((a, b) => compare(a, b) || compareText(a.species_code, b.species_code))
      .map((option, index) => ({ rank: index + 1, ...option }));
  }

  /** Means and percentiles over the sites of a unit as reported, 4 decimals. */
  #survival({ sites: { points }, firstRow }: PlanEntry, method: number) {
    const sorted = new Uint16Array(points.length);
    let [mean, low, high] = [0, 0, 0];
    for (let row = 0; row < points.length; row++) {
      const at = (firstRow + row) * ROW_NUMBERS + method * NUMBERS;
      sorted[row] = this.#numbers[at];
      mean += this.#numbers[at];
      low += this.#numbers[at + 1];
      high += this.#numbers[at + 2];
    }
    sorted.sort();
    const reported = (sum: number, count: number) => Math.round(sum / count) / SCALE;
    return {
      mean: reported(mean, points.length),
      low: reported(low, points.length),
      high: reported(high, points.length),
      p10: reported(tenTimesQuantile(sorted, 1), 10),
      p90: reported(tenTimesQuantile(sorted, 9), 10),
    };
  }
}

/** A quantile of integers times 10, linear between them: an integer, too. @param tenths 0 for the least, 10 for the largest */
function tenTimesQuantile(sorted: Uint16Array, tenths: number): number {
  const position = (sorted.length - 1) * tenths;
  const [below, share] = [Math.floor(position / 10), position % 10];
  return sorted[below] * (10 - share) + (share === 0 ? 0 : sorted[below + 1] * share);
}

/** Null where none survive. */
function costPerSurvivor(cost: number, mean: number): number | null {
  return mean === 0 ? null : Number((cost / mean).toFixed(COST_DECIMALS));
}
