import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { ALL_HORIZONS, BOTH_METHODS, HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { LatticePoints } from '../../prediction/locate/lattice-points.js';
import { EARTH_RADIUS_KM, RADIANS } from '../../prediction/locate/nearest-point.js';
import type { Predictor } from '../../prediction/predictor.js';
import { RowRecords } from '../../prediction/row-record.js';
import { OPTION, SiteRows } from '../../prediction/site-rows.js';
import { type AssumedValues, adjustmentsFor } from '../request/option-numbers.js';

/** The survival of one species at points of the grid; plain data that can be passed to another thread. */
export interface Surface extends LatticePoints {
  /** Index into the species list. */
  readonly species: number;
  /** What the query assumes of climate and practice. */
  readonly assumed: AssumedValues;
  readonly intervals: boolean;
  /** The values of each band in ten-thousandths, Uint16 [bands, points], in the order of `bandNames`. */
  readonly values: Uint16Array;
}

const SURVIVAL_BANDS = PLANTING_METHODS.flatMap((method) => HORIZONS.map((years) => `${method}_${years}`));

/** The bands of a surface as a raster, by name. */
export function bandNames(intervals: boolean): string[] {
  const ends = SURVIVAL_BANDS.flatMap((name) => [`low_${name}`, `high_${name}`]);
  return intervals ? [...SURVIVAL_BANDS, ...ends] : SURVIVAL_BANDS;
}

export function bandValues({ points: { length }, values }: Surface, band: number): Uint16Array {
  return values.subarray(band * length, (band + 1) * length);
}

/** Predicts for the points [from, from + count) of a surface with both methods. @returns the time in the models */
export async function predictSurfacePoints(
  { surface, from, count }: { readonly surface: Surface; readonly from: number; readonly count: number },
  predictor: Predictor,
) {
  const { points, species, assumed, intervals } = surface;
  const adjustments = adjustmentsFor(assumed, predictor.data);
  const isChanged = !adjustments.every(Number.isNaN);
  const { latitudes, longitudes, row: rowOf, column: columnOf } = predictor.data.grid.index;
  const rows = new SiteRows(count, isChanged ? adjustments.length : 0);
  for (let row = 0; row < count; row++) {
    const point = points[from + row];
    rows.latitude[row] = latitudes[rowOf[point]];
    rows.longitude[row] = longitudes[columnOf[point]];
    if (isChanged) rows.adjustments.set(adjustments, row * rows.width);
  }
  rows.species.fill(species);
  rows.method.fill(BOTH_METHODS);
  rows.horizons.fill(ALL_HORIZONS);
  rows.options.fill((isChanged ? OPTION.adjusted : 0) | (intervals ? OPTION.intervals : 0));
  const records = RowRecords.create(rows);
  const { inferenceMs } = await predictor.predict(rows, records);
  const write = (band: number, read: (row: number) => number) => {
    const values = bandValues(surface, band);
    for (let row = 0; row < count; row++) values[from + row] = read(row);
  };
  for (let method = 0; method < PLANTING_METHODS.length; method++)
    for (let h = 0; h < HORIZONS.length; h++) {
      const band = method * HORIZONS.length + h;
      write(band, (row) => records.survival(row, method, h));
      if (!intervals) continue;
      write(SURVIVAL_BANDS.length + 2 * band, (row) => records.low(row, method, h));
      write(SURVIVAL_BANDS.length + 2 * band + 1, (row) => records.high(row, method, h));
    }
  return { inferenceMs };
}

const SPACING_DECIMALS = 3;

/** The fields of the JSON of a surface other than its columns. */
export function surfaceFields(
  { species, points, step }: Surface,
  data: Pick<Artefacts, 'grid' | 'manifest' | 'species'>,
) {
  const { species_code, common_name } = data.species[species];
  const rowsApartKm = (step / data.grid.index.stepsPerDegree) * RADIANS * EARTH_RADIUS_KM;
  return {
    species_code,
    species_common_name: common_name,
    horizons: HORIZONS,
    points: points.length,
    spacing_km: Number(rowsApartKm.toFixed(SPACING_DECIMALS)),
    model: modelOf(data.manifest),
  };
}
