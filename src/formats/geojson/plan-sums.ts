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

/** A species in a unit. */
interface PlanEntry extends UnitSpecies {
  readonly sites: UnitSites;
}

/** The sums of a planting method: survival and the ends of its interval, in ten-thousandths. */
const NUMBERS = 3;
const SCALE = 10_000;
/** The sums of an entry. */
const ENTRY_NUMBERS = NUMBERS * PLANTING_METHODS.length;

/** Rows of a plan that are predicted together; plain data that can be passed to another thread. */
export interface PlanPiece {
  readonly order: PlanOrder;
  /** The memory of their SiteRows. */
  readonly memory: ArrayBufferLike;
  readonly count: number;
  readonly width: number;
  /** The entry of each row, ascending. */
  readonly entries: Uint32Array;
}

/** The sums of a piece, from the entry of its first row to that of its last, and the time in the models. */
export interface PieceSums {
  readonly sums: Uint32Array;
  readonly inferenceMs: number;
}

/** Predicts for a piece and sums what the records of its rows report. */
export async function sumPiece(
  { order: { horizon, methods }, memory, count, width, entries }: PlanPiece,
  predictor: Predictor,
): Promise<PieceSums> {
  const rows = new SiteRows(count, width, memory);
  const records = RowRecords.create(rows);
  const { inferenceMs } = await predictor.predict(rows, records);
  const sums = new Uint32Array((entries[count - 1] - entries[0] + 1) * ENTRY_NUMBERS);
  for (let row = 0; row < count; row++) {
    // Sites are grid points, or centroids that were matched to one.
    if (records.status[row] !== ROW_STATUS.answered) throw new Error('a site of a unit has no answer');
    for (const method of methods) {
      const at = (entries[row] - entries[0]) * ENTRY_NUMBERS + method * NUMBERS;
      sums[at] += records.survival(row, method, horizon);
      sums[at + 1] += records.low(row, method, horizon);
      sums[at + 2] += records.high(row, method, horizon);
    }
  }
  return { sums, inferenceMs };
}

const COST_DECIMALS = 4;

/** Units whose options are sorted and written in one turn of the event loop: a millisecond or two. */
const UNITS_PER_TURN = 25;

/** The predictions of a plan: their rows, the sums of their records, and the answer. */
export class PlanSums {
  /** Unit by unit. */
  readonly #entries: readonly PlanEntry[];
  readonly #sums: Uint32Array;

  constructor(private readonly plan: Plan) {
    this.#entries = plan.units.flatMap((unit) =>
      unit.error === undefined ? unit.species.map((each) => ({ ...each, sites: unit.sites })) : [],
    );
    this.#sums = new Uint32Array(this.#entries.length * ENTRY_NUMBERS);
  }

  /** The rows to predict, in pieces: a row for each site and species, for all methods. */
  *pieces(maxRows: number): Generator<PlanPiece> {
    const { order } = this.plan;
    const { adjustments, horizon, methods } = order;
    const width = adjustments.length;
    let left = this.#entries.reduce((sum, { sites }) => sum + sites.points.length, 0);
    let entry = 0;
    let site = 0;
    while (left > 0) {
      const count = Math.min(left, maxRows);
      const rows = new SiteRows(count, width);
      rows.method.fill(methods.length === PLANTING_METHODS.length ? BOTH_METHODS : methods[0]);
      rows.horizons.fill(1 << horizon);
      rows.options.fill(OPTION.intervals | (width === 0 ? 0 : OPTION.adjusted));
      const entries = new Uint32Array(count);
      for (let row = 0; row < count; row++) {
        while (site === this.#entries[entry].sites.points.length) [entry, site] = [entry + 1, 0];
        const { species, sites } = this.#entries[entry];
        rows.latitude[row] = sites.latitude[site];
        rows.longitude[row] = sites.longitude[site++];
        rows.species[row] = species;
        rows.adjustments.set(adjustments, row * width);
        entries[row] = entry;
      }
      yield { order, memory: rows.latitude.buffer, count, width, entries };
      left -= count;
    }
  }

  /** Adds the sums of a piece. */
  add({ entries }: PlanPiece, { sums }: PieceSums): void {
    const from = entries[0] * ENTRY_NUMBERS;
    for (let i = 0; i < sums.length; i++) this.#sums[from + i] += sums[i];
  }

  /** The elements of `units` in the answer, as JSON. */
  async elements({ species }: Pick<Artefacts, 'species'>): Promise<string[]> {
    const elements: string[] = [];
    let entry = 0;
    for (const [index, unit] of this.plan.units.entries()) {
      if (index % UNITS_PER_TURN === UNITS_PER_TURN - 1) await nextTurn();
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
    const { methods, costs } = this.plan.order;
    const options = this.#entries.slice(first, first + count).flatMap((entry, index) =>
      methods.map((method) => {
        const { species_code, common_name } = species[entry.species];
        const survival = this.#means(first + index, method);
        const cost = costs?.[method];
        return {
          species_code,
          species_common_name: common_name,
          planting_method: PLANTING_METHODS[method],
          in_native_range: entry.isNative,
          survival,
          ...(cost !== undefined && { cost_per_survivor: costPerSurvivor(cost, survival.mean) }),
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

  /** Means over the sites of a unit as reported, 4 decimals. */
  #means(entry: number, method: number) {
    const { sites } = this.#entries[entry];
    const at = entry * ENTRY_NUMBERS + method * NUMBERS;
    const [mean, low, high] = this.#sums
      .subarray(at, at + NUMBERS)
      .map((sum) => Math.round(sum / sites.points.length));
    return { mean: mean / SCALE, low: low / SCALE, high: high / SCALE };
  }
}

/** Null where none survive. */
function costPerSurvivor(cost: number, mean: number): number | null {
  return mean === 0 ? null : Number((cost / mean).toFixed(COST_DECIMALS));
}
