import type { Manifest } from '../artefacts/manifest.js';
import {
  LAPSE_OF_LOGARITHM,
  lapseColumnOf,
  TEMPERATURE_OF_VAPOR_PRESSURE,
} from '../artefacts/option-columns.js';
import { type SharedGrid, type StoredColumn, valueAt } from '../artefacts/shared-grid.js';
import { OPTION, type SiteRows } from '../site-rows.js';
import { CONDITIONS, OWN_ELEVATION, PRECIPITATION_CHANGE, WARMING } from './adjustments.js';

const METRES_PER_KM = 1000;

/** A vapor pressure deficit: it follows the saturation pressure at a temperature where relative humidity stays. */
interface Deficit {
  readonly feature: number;
  /** The index of the temperature among the features; -1 if it is not one, and `temperatureColumn` has it. */
  readonly temperatureFeature: number;
  readonly temperatureColumn: StoredColumn;
  readonly temperatureLapse: StoredColumn | undefined;
}

/** The features of sites as the models see them: those of the matched point, with what the request states in their place. */
export class SiteFeatures {
  readonly #ofPoints: Float32Array;
  readonly #elevation: StoredColumn;
  readonly #elevationFeature: number;
  /** Lapse rate of each feature; absent where the grid has none. */
  readonly #lapses: readonly (StoredColumn | undefined)[];
  readonly #temperatures: readonly number[];
  readonly #precipitations: readonly number[];
  readonly #deficits: readonly Deficit[];
  /** The features of one site with all digits, while they are adjusted. */
  readonly #values: Float64Array;

  constructor({ features: ofPoints, columns }: SharedGrid, { features }: Pick<Manifest, 'features'>) {
    const names = features.map(({ name }) => name);
    const lapseOf = (name: string): StoredColumn | undefined => columns[lapseColumnOf(name)];
    const startingWith = (start: string) =>
      names.flatMap((name, feature) => (name.startsWith(start) ? [feature] : []));
    this.#ofPoints = ofPoints;
    this.#elevation = columns.elevation;
    this.#elevationFeature = names.indexOf('elevation');
    this.#lapses = names.map(lapseOf);
    this.#temperatures = startingWith('temperature_');
    this.#precipitations = startingWith('precipitation_');
    this.#deficits = Object.entries(TEMPERATURE_OF_VAPOR_PRESSURE).flatMap(([name, temperature]) => {
      const feature = names.indexOf(name);
      if (feature === -1) return [];
      return {
        feature,
        temperatureFeature: names.indexOf(temperature),
        temperatureColumn: columns[temperature],
        temperatureLapse: lapseOf(temperature),
      };
    });
    this.#values = new Float64Array(names.length);
  }

  /** The elevation of a grid point, m. */
  elevationAt(point: number): number {
    return valueAt(this.#elevation, point);
  }

  /** A feature at a grid point, or moved from it to an elevation, m, that is not NaN. */
  valueAt(point: number, feature: number, elevationM: number): number {
    const value = this.#ofPoints[point * this.#values.length + feature];
    if (Number.isNaN(elevationM)) return value;
    return movedBy(value, this.#lapses[feature], point, this.#riseKm(point, elevationM));
  }

  #riseKm(point: number, elevationM: number): number {
    return (elevationM - this.elevationAt(point)) / METRES_PER_KM;
  }

  /** Writes the features of a row at its grid point to `target`, starting at `to`. */
  write(rows: SiteRows, row: number, point: number, target: Float32Array, to: number): void {
    if ((rows.options[row] & OPTION.adjusted) !== 0) {
      this.writeAdjusted(point, rows.adjustments, row * rows.width, target, to);
      return;
    }
    const count = this.#values.length;
    const from = point * count;
    for (let f = 0; f < count; f++) target[to + f] = this.#ofPoints[from + f];
  }

  /**
   * Writes the features of the first `count` rows of a list, each at its grid point.
   * @param points the grid point of each row of `rows`
   * @param target Float32 [count, features]
   */
  writeAll(rows: SiteRows, list: Int32Array, count: number, points: Int32Array, target: Float32Array): void {
    const ofPoints = this.#ofPoints;
    const width = this.#values.length;
    // One feature of all rows after the other: a processor then reads the memory of many rows at the same time.
    for (let f = 0; f < width; f++)
      for (let i = 0; i < count; i++) target[i * width + f] = ofPoints[points[list[i]] * width + f];
    for (let i = 0; i < count; i++) {
      const row = list[i];
      if ((rows.options[row] & OPTION.adjusted) !== 0)
        this.writeAdjusted(points[row], rows.adjustments, row * rows.width, target, i * width);
    }
  }

  /**
   * Writes the features of a site whose request states something in place of its grid point's values: first everything
   * moves to the site's own elevation, then the measured conditions take their features' places, then the climate
   * changes. Nothing is clamped.
   * @param adjustments holds the columns of `adjustments.ts`, starting at `from`
   */
  writeAdjusted(
    point: number,
    adjustments: Float64Array,
    from: number,
    target: Float32Array,
    to: number,
  ): void {
    const values = this.#values;
    const first = point * values.length;
    for (let f = 0; f < values.length; f++) values[f] = this.#ofPoints[first + f];
    const elevationM = adjustments[from + OWN_ELEVATION];
    let riseKm = 0;
    if (!Number.isNaN(elevationM)) {
      riseKm = this.#riseKm(point, elevationM);
      for (let f = 0; f < values.length; f++) values[f] = movedBy(values[f], this.#lapses[f], point, riseKm);
      if (this.#elevationFeature !== -1) values[this.#elevationFeature] = elevationM;
    }
    for (let f = 0; f < values.length; f++) {
      const condition = adjustments[from + CONDITIONS + f];
      if (!Number.isNaN(condition)) values[f] = condition;
    }
    const warming = adjustments[from + WARMING];
    if (!Number.isNaN(warming) && warming !== 0) this.#warm(point, riseKm, warming);
    const precipitationChange = adjustments[from + PRECIPITATION_CHANGE];
    if (!Number.isNaN(precipitationChange))
      for (const feature of this.#precipitations) values[feature] *= 1 + precipitationChange / 100;
    for (let f = 0; f < values.length; f++) target[to + f] = values[f];
  }

  /** Warms the values: vapor pressure deficits first, since they depend on the temperatures before. */
  #warm(point: number, riseKm: number, warming: number): void {
    const values = this.#values;
    for (const { feature, temperatureFeature, temperatureColumn, temperatureLapse } of this.#deficits) {
      const temperature =
        temperatureFeature === -1
          ? movedBy(valueAt(temperatureColumn, point), temperatureLapse, point, riseKm)
          : values[temperatureFeature];
      values[feature] *= saturationPressure(temperature + warming) / saturationPressure(temperature);
    }
    for (const feature of this.#temperatures) values[feature] += warming;
  }
}

/** A value moved up from a grid point; unchanged without a lapse rate. */
function movedBy(value: number, lapse: StoredColumn | undefined, point: number, riseKm: number): number {
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
