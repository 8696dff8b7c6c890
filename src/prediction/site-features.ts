import type { GridVariable } from './artefacts/grid-file.js';
import { isPractice, type Manifest } from './artefacts/manifest.js';
import {
  LAPSE_OF_LOGARITHM,
  lapseColumnOf,
  type SharedGrid,
  VAPOR_PRESSURE_DEFICIT,
  valueAt,
} from './artefacts/shared-grid.js';
import {
  CONDITIONS,
  OPTION,
  OWN_ELEVATION,
  PRECIPITATION_CHANGE,
  type SiteRows,
  WARMING,
} from './site-rows.js';

/** The farthest that a site's own elevation may be from its matched point's, m. */
export const MAX_RISE_M = 1000;

const METRES_PER_KM = 1000;
/** The columns of the temperature that the vapor pressure deficit follows. */
const TEMPERATURE = VAPOR_PRESSURE_DEFICIT.temperature;
const TEMPERATURE_LAPSE = lapseColumnOf(TEMPERATURE);

export type SiteFeatures = ReturnType<typeof siteFeatures>;

/** The features of sites as the models see them: those of the matched point, changed by what the request states. */
export function siteFeatures(
  { features: ofPoints, columns }: SharedGrid,
  { features }: Pick<Manifest, 'features'>,
) {
  const names = features.map(({ name }) => name);
  const width = names.length;
  const startingWith = (start: string) =>
    names.flatMap((name, feature) => (name.startsWith(start) ? [feature] : []));
  const temperatures = startingWith('temperature_');
  const precipitations = startingWith('precipitation_');
  /** Lapse rate of each feature; undefined where the grid has none. */
  const lapses = names.map((name): GridVariable | undefined => columns[lapseColumnOf(name)]);
  // These are -1 where they are no features: the elevation, the vapor pressure deficit, the temperature that it follows.
  const elevation = names.indexOf('elevation');
  const deficit = names.indexOf(VAPOR_PRESSURE_DEFICIT.name);
  const deficitTemperature = names.indexOf(TEMPERATURE);
  /** The features of one site with all digits, while they are adjusted. */
  const values = new Float64Array(width);
  return { elevationAt, featuresOf, errorsOf };

  /** The elevation of a grid point, m. */
  function elevationAt(point: number): number {
    return valueAt(columns.elevation, point);
  }

  function riseKmTo(elevationM: number, point: number): number {
    return (elevationM - elevationAt(point)) / METRES_PER_KM;
  }

  /**
   * The features of the rows of a list, each at its grid point.
   * @param points the grid point of each row of `rows`
   * @returns Float32 [list, features]
   */
  function featuresOf(rows: SiteRows, list: Int32Array, points: Int32Array): Float32Array {
    const count = list.length;
    const target = new Float32Array(count * width);
    // Feature by feature, over all rows: the processor then reads the memory of many rows at the same time.
    for (let f = 0; f < width; f++)
      for (let i = 0; i < count; i++) target[i * width + f] = ofPoints[points[list[i]] * width + f];
    for (let i = 0; i < count; i++) {
      const row = list[i];
      if ((rows.options[row] & OPTION.adjusted) === 0) continue;
      adjust(points[row], rows.adjustments, row * rows.width);
      target.set(values, i * width);
    }
    return target;
  }

  /**
   * Sets `values` to the features of a site whose request states something in place of its grid point's values: first
   * everything moves to the site's own elevation, then the measured conditions take their features' places, then the
   * climate changes. Nothing is clamped.
   * @param adjustments those of the site start at `from`
   */
  function adjust(point: number, adjustments: Float64Array, from: number): void {
    for (let f = 0; f < width; f++) values[f] = ofPoints[point * width + f];
    const elevationM = adjustments[from + OWN_ELEVATION];
    let riseKm = 0;
    if (!Number.isNaN(elevationM)) {
      riseKm = riseKmTo(elevationM, point);
      for (let f = 0; f < width; f++) values[f] = movedBy(values[f], lapses[f], point, riseKm);
      if (elevation !== -1) values[elevation] = elevationM;
    }
    for (let f = 0; f < width; f++) {
      const condition = adjustments[from + CONDITIONS + f];
      if (!Number.isNaN(condition)) values[f] = condition;
    }
    const warming = adjustments[from + WARMING];
    if (!Number.isNaN(warming) && warming !== 0) warm(point, riseKm, warming);
    const precipitationChange = adjustments[from + PRECIPITATION_CHANGE];
    if (!Number.isNaN(precipitationChange))
      for (const feature of precipitations) values[feature] *= 1 + precipitationChange / 100;
  }

  /** Warms `values`: the vapor pressure deficit first, since it depends on the temperature before. */
  function warm(point: number, riseKm: number, warming: number): void {
    if (deficit !== -1) {
      const temperature =
        deficitTemperature === -1
          ? movedBy(valueAt(columns[TEMPERATURE], point), columns[TEMPERATURE_LAPSE], point, riseKm)
          : values[deficitTemperature];
      values[deficit] *= saturationPressure(temperature + warming) / saturationPressure(temperature);
    }
    for (const feature of temperatures) values[feature] += warming;
  }

  /**
   * The standard errors of the features of the rows of a list, in their units. The errors at the point, by the distance
   * to it and by the difference in elevation are taken as independent. 0 for practice and for what the caller measured.
   * A scenario changes none: errors that are shares refer to the value before it.
   * @returns Float32 [list, features]
   */
  function errorsOf(
    { options, adjustments, width: adjustmentCount }: SiteRows,
    list: Int32Array,
    points: Int32Array,
    distancesKm: Float64Array,
  ): Float32Array {
    const target = new Float32Array(list.length * width);
    for (const [position, row] of list.entries()) {
      const point = points[row];
      const isAdjusted = (options[row] & OPTION.adjusted) !== 0;
      const from = row * adjustmentCount;
      const elevationM = isAdjusted ? adjustments[from + OWN_ELEVATION] : Number.NaN;
      const hasOwnElevation = !Number.isNaN(elevationM);
      const riseKm = hasOwnElevation ? riseKmTo(elevationM, point) : 0;
      for (let f = 0; f < width; f++) {
        const feature = features[f];
        const isMeasured = isAdjusted && !Number.isNaN(adjustments[from + CONDITIONS + f]);
        if (isMeasured || isPractice(feature)) continue;
        const { at_point, column, per_km, per_elevation_km = 0, relative } = feature.error;
        const lapse = lapses[f];
        const value = ofPoints[point * width + f];
        const unit = relative === true ? Math.abs(movedBy(value, lapse, point, riseKm)) : 1;
        const here = column === undefined ? at_point * unit : valueAt(columns[column], point);
        // What moves to the site's own elevation no longer depends on the distance to the point.
        const isMoved = hasOwnElevation && (lapse !== undefined || f === elevation);
        const away = isMoved ? 0 : per_km * unit * distancesKm[row];
        const above = per_elevation_km * unit * riseKm;
        target[position * width + f] = Math.sqrt(here * here + away * away + above * above);
      }
    }
    return target;
  }
}

/** A value moved up from a grid point; unchanged without a lapse rate. */
function movedBy(value: number, lapse: GridVariable | undefined, point: number, riseKm: number): number {
  if (lapse === undefined) return value;
  const change = valueAt(lapse, point) * riseKm;
  return lapse.unit === LAPSE_OF_LOGARITHM ? value * Math.exp(change) : value + change;
}

/*
 * Magnus' formula with the coefficients of Murray (1967), On the computation of saturation vapor pressure, J. Appl.
 * Meteorol. 6:203-204, by which PRISM, and so the grid, turns dew points into vapor pressure deficits (Daly, Smith and
 * Olson 2015, PLoS ONE 10(10): e0141140).
 */
const PRESSURE_AT_0_HPA = 6.1078;
const A = 17.269;
const B_DEGREES = 237.3;

/** The saturation vapor pressure over water, hPa, at a temperature in degrees Celsius. */
export function saturationPressure(temperature: number): number {
  return PRESSURE_AT_0_HPA * Math.exp((A * temperature) / (temperature + B_DEGREES));
}
