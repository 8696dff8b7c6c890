import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import type { Species } from '../../prediction/artefacts/species.js';
import { BOTH_METHODS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { RowRecords } from '../../prediction/row-record.js';
import { OPTION, ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import { compareText } from '../json/ranking.js';
import type { Plan, UnitSites, UnitSpecies } from './planner.js';

/** A species in a unit, and what its predictions report, summed over the sites: NUMBERS for each planting method. */
interface UnitSums extends UnitSpecies {
  readonly sites: UnitSites;
  readonly sums: Uint32Array;
}

/** Of a prediction: survival and the ends of its interval, in ten-thousandths. */
const NUMBERS = 3;
const SCALE = 10_000;

/** Rows of a plan that are predicted together, and the sums that each adds to. */
interface PlanRows {
  readonly rows: SiteRows;
  readonly sums: Uint32Array[];
}

const COST_DECIMALS = 4;

/** Units whose options are sorted and written in one turn of the event loop: a millisecond or two. */
const UNITS_PER_TURN = 25;

/** The predictions of a plan: their rows, the sums of their records, and the answer. */
export class PlanSums {
  /** By unit; empty for a unit that has an error. */
  readonly #units: readonly (readonly UnitSums[])[];

  constructor(private readonly plan: Plan) {
    this.#units = plan.units.map((unit) => {
      if (unit.error !== undefined) return [];
      const { sites, species } = unit;
      return species.map((each) => {
        return { ...each, sites, sums: new Uint32Array(NUMBERS * PLANTING_METHODS.length) };
      });
    });
  }

  /** The rows to predict, in pieces: a row for each site and species, for all methods. */
  *rows(maxRows: number): Generator<PlanRows> {
    const all = this.#units.flat();
    let left = all.reduce((sum, { sites }) => sum + sites.points.length, 0);
    let piece = this.#empty(Math.min(left, maxRows));
    for (const { species, sites, sums } of all) {
      for (let site = 0; site < sites.points.length; site++) {
        const row = piece.sums.push(sums) - 1;
        piece.rows.latitude[row] = sites.latitude[site];
        piece.rows.longitude[row] = sites.longitude[site];
        piece.rows.species[row] = species;
        if (row + 1 < piece.rows.count) continue;
        yield piece;
        left -= piece.rows.count;
        piece = this.#empty(Math.min(left, maxRows));
      }
    }
  }

  #empty(count: number): PlanRows {
    const { adjustments, horizon, methods } = this.plan.order;
    const width = adjustments.length;
    const rows = new SiteRows(count, width);
    rows.method.fill(methods.length === PLANTING_METHODS.length ? BOTH_METHODS : methods[0]);
    rows.horizons.fill(1 << horizon);
    rows.options.fill(OPTION.intervals | (width === 0 ? 0 : OPTION.adjusted));
    for (let row = 0; row < count; row++) rows.adjustments.set(adjustments, row * width);
    return { rows, sums: [] };
  }

  /** Adds what the records of a piece report. */
  add({ sums }: PlanRows, records: RowRecords): void {
    const { horizon, methods } = this.plan.order;
    for (const [row, ofRow] of sums.entries()) {
      // Sites are grid points, or centroids that were matched to one.
      if (records.status[row] !== ROW_STATUS.answered) throw new Error('a site of a unit has no answer');
      for (const method of methods) {
        const at = method * NUMBERS;
        ofRow[at] += records.survival(row, method, horizon);
        ofRow[at + 1] += records.low(row, method, horizon);
        ofRow[at + 2] += records.high(row, method, horizon);
      }
    }
  }

  /** The elements of `units` in the answer, as JSON. */
  async elements({ species }: Pick<Artefacts, 'species'>): Promise<string[]> {
    const elements: string[] = [];
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
          options: this.#options(this.#units[index], species),
        }),
      );
    }
    return elements;
  }

  /**
   * The options of a unit, ranked: by cost per survivor where there are costs, those without survivors last, else by
   * survival; ties by species code, then manual first.
   */
  #options(sums: readonly UnitSums[], species: readonly Species[]) {
    const { methods, costs } = this.plan.order;
    const options = sums.flatMap((ofSpecies) =>
      methods.map((method) => {
        const { species_code, common_name } = species[ofSpecies.species];
        const survival = meansOf(ofSpecies, method);
        const cost = costs?.[method];
        return {
          species_code,
          species_common_name: common_name,
          planting_method: PLANTING_METHODS[method],
          in_native_range: ofSpecies.isNative,
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
}

/** Means over the sites of a unit as reported, 4 decimals. */
function meansOf({ sums, sites }: UnitSums, method: number) {
  const [mean, low, high] = sums
    .subarray(method * NUMBERS, (method + 1) * NUMBERS)
    .map((sum) => Math.round(sum / sites.points.length));
  return { mean: mean / SCALE, low: low / SCALE, high: high / SCALE };
}

/** Null where none survive. */
function costPerSurvivor(cost: number, mean: number): number | null {
  return mean === 0 ? null : Number((cost / mean).toFixed(COST_DECIMALS));
}
