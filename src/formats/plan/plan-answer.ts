import type { Species } from '../../prediction/artefacts/species.js';
import { BOTH_METHODS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { Predictor } from '../../prediction/predictor.js';
import { RowRecords, SCALE } from '../../prediction/row-record.js';
import { OPTION, ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import { type Plan, type PlanTerms, rowCountOf, type ValidUnit } from './plan-reader.js';

/** Numbers of a row and a planting method, in ten-thousandths: survival and the ends of its interval. */
const NUMBERS = 3;
/** Numbers of a row for all planting methods. */
export const ROW_NUMBERS = NUMBERS * PLANTING_METHODS.length;

/** Rows of a plan that are predicted together; plain data that can be passed to another thread. */
interface PlanSlice {
  readonly terms: PlanTerms;
  /** The number of rows before them in the plan. */
  readonly from: number;
  /** The species of each row, as an index into the species list, and its place. */
  readonly species: Uint8Array;
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
}

/** @returns what is reported of a slice, Uint16 [rows, methods, 3], and the time in the models */
export async function predictSlice(
  { terms: { horizon, methods, adjustments }, species, latitude, longitude }: PlanSlice,
  predictor: Predictor,
) {
  const rows = new SiteRows(species.length, adjustments.length);
  rows.species.set(species);
  rows.latitude.set(latitude);
  rows.longitude.set(longitude);
  rows.method.fill(methods.length === PLANTING_METHODS.length ? BOTH_METHODS : methods[0]);
  rows.horizons.fill(1 << horizon);
  rows.options.fill(OPTION.intervals | (rows.width === 0 ? 0 : OPTION.adjusted));
  for (let row = 0; row < rows.count; row++) rows.adjustments.set(adjustments, row * rows.width);
  const records = RowRecords.create(rows);
  const { inferenceMs } = await predictor.predict(rows, records);
  const numbers = new Uint16Array(rows.count * ROW_NUMBERS);
  for (let row = 0; row < rows.count; row++) {
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

/** The rows of a plan to predict for all its methods, in slices. */
export function* planSlices({ terms, units, rowCount }: Plan, maxRows: number): Generator<PlanSlice> {
  const species = new Uint8Array(rowCount);
  const latitude = new Float64Array(rowCount);
  const longitude = new Float64Array(rowCount);
  let row = 0;
  for (const unit of units) {
    if (unit.error !== undefined) continue;
    for (const each of unit.species) {
      species.fill(each.species, row, row + unit.latitude.length);
      latitude.set(unit.latitude, row);
      longitude.set(unit.longitude, row);
      row += unit.latitude.length;
    }
  }
  for (let from = 0; from < rowCount; from += maxRows) {
    const end = from + maxRows;
    yield {
      terms,
      from,
      species: species.slice(from, end),
      latitude: latitude.slice(from, end),
      longitude: longitude.slice(from, end),
    };
  }
}

/** Units of a plan that are written together; plain data that can be passed to another thread. */
interface UnitSlice {
  readonly terms: PlanTerms;
  /** The number of slices before it. */
  readonly position: number;
  readonly units: Plan['units'];
  /** Those of the rows of its units. */
  readonly numbers: Uint16Array;
}

/** The units of a plan in slices. @param numbers of all rows, as `predictSlice` returns them */
export function* unitSlices(
  { terms, units }: Plan,
  numbers: Uint16Array,
  maxUnits: number,
): Generator<UnitSlice> {
  let from = 0;
  for (let position = 0; position * maxUnits < units.length; position++) {
    const slice = units.slice(position * maxUnits, (position + 1) * maxUnits);
    const end = slice.reduce((sum, unit) => sum + rowCountOf(unit) * ROW_NUMBERS, from);
    yield { terms, position, units: slice, numbers: numbers.slice(from, end) };
    from = end;
  }
}

/** The elements of units in the answer as JSON, with commas between them. */
export function writeUnits({ terms, units, numbers }: UnitSlice, { data: { species } }: Predictor) {
  let from = 0;
  const elements = units.map((unit) => {
    if (unit.error !== undefined) return JSON.stringify(unit);
    const options = optionsOf(unit, numbers.subarray(from), terms, species);
    from += rowCountOf(unit) * ROW_NUMBERS;
    return JSON.stringify({ ...unit.fields, options });
  });
  return { json: elements.join() };
}

/**
 * The options of a unit, ranked by cost per survivor if there are costs (options without survivors last), otherwise by
 * survival. Ties are ordered by species code, then manual first.
 * @param numbers begin with those of its rows
 */
function optionsOf(
  { fields, species, latitude }: ValidUnit,
  numbers: Uint16Array,
  { methods, costs, target_per_ha, basis }: PlanTerms,
  list: readonly Species[],
) {
  const rows = latitude.length;
  const options = species.flatMap(({ species: index, isNative }, position) =>
    methods.map((method) => {
      const { species_code, common_name } = list[index];
      const survival = survivalOf(numbers.subarray(position * rows * ROW_NUMBERS), rows, method);
      const mean = Math.round(survival.mean * SCALE);
      const planting_method = PLANTING_METHODS[method];
      const cost = costs?.[planting_method];
      return {
        species_code,
        species_common_name: common_name,
        planting_method,
        in_native_range: isNative,
        survival,
        // Null where none survive.
        ...(cost !== undefined && {
          cost_per_survivor: mean === 0 ? null : costTimes(cost, SCALE, mean, COST_DECIMALS),
        }),
        ...(target_per_ha !== undefined && {
          order: plantingOrder(target_per_ha, survival[basis], fields.area_ha, cost),
        }),
      };
    }),
  );
  const keyOf = ({ cost_per_survivor, survival }: (typeof options)[number]) =>
    costs === undefined ? -survival.mean : (cost_per_survivor ?? Number.MAX_VALUE);
  return options.sort((a, b) => keyOf(a) - keyOf(b)).map((option, index) => ({ rank: index + 1, ...option }));
}

/** Means and percentiles over the first rows as reported, 4 decimals. */
function survivalOf(numbers: Uint16Array, rows: number, method: number) {
  const sorted = new Uint16Array(rows);
  let [mean, low, high] = [0, 0, 0];
  for (let row = 0; row < rows; row++) {
    const at = row * ROW_NUMBERS + method * NUMBERS;
    sorted[row] = numbers[at];
    mean += numbers[at];
    low += numbers[at + 1];
    high += numbers[at + 2];
  }
  sorted.sort();
  const reported = (sum: number, count: number) => Math.round(sum / count) / SCALE;
  return {
    mean: reported(mean, rows),
    low: reported(low, rows),
    high: reported(high, rows),
    p10: reported(tenTimesQuantile(sorted, 1), 10),
    p90: reported(tenTimesQuantile(sorted, 9), 10),
  };
}

/** Ten times a quantile of integers, interpolated linearly: an integer. @param tenths 0 the least, 10 the largest */
function tenTimesQuantile(sorted: Uint16Array, tenths: number): number {
  const position = (sorted.length - 1) * tenths;
  const [below, share] = [Math.floor(position / 10), position % 10];
  return sorted[below] * (10 - share) + (share === 0 ? 0 : sorted[below + 1] * share);
}

const COST_DECIMALS = 4;
const CENT_DECIMALS = 2;

/**
 * How many trees or pods to order so that a target is met: whole ones, rounded up from the decimals of survival and area;
 * null where none survive.
 * @param perHa living trees a hectare
 * @param survival with 4 decimals
 * @param areaHa with 4 decimals
 * @param cost of a tree or pod; undefined where the request has none
 */
export function plantingOrder(perHa: number, survival: number, areaHa: number, cost: number | undefined) {
  if (survival === 0) return null;
  const tenThousandths = Math.round(survival * SCALE);
  const total = roundUp((perHa * Math.round(areaHa * SCALE)) / tenThousandths);
  return {
    per_ha: roundUp((perHa * SCALE) / tenThousandths),
    total,
    ...(cost !== undefined && { cost: costTimes(cost, total, 1, CENT_DECIMALS) }),
  };
}

/** The decimal digits that a double always holds: the rounding error of a product or quotient lies beyond them. */
const EXACT_DIGITS = 15;

/** 110 / 0.1 is a little above 1100 in doubles: rounding that up would order one too many. */
function roundUp(value: number): number {
  return Math.ceil(Number(value.toPrecision(EXACT_DIGITS)));
}

/** A cost times a fraction of integers, exact in decimal and then rounded half up: the double of 1.005 is less. */
export function costTimes(cost: number, numerator: number, denominator: number, decimals: number): number {
  const [digits, exponent] = cost.toExponential().replace('.', '').split('e');
  const zeros = Number(exponent) - (digits.length - 1) + decimals;
  const dividend = BigInt(digits) * BigInt(numerator) * 10n ** BigInt(Math.max(0, zeros));
  const divisor = BigInt(denominator) * 10n ** BigInt(Math.max(0, -zeros));
  return Number(`${(2n * dividend + divisor) / (2n * divisor)}e-${decimals}`);
}
