import type { Horizon, Method, Surface } from '../api/types.js';
import { insideOf } from '../state/corners.js';
import type { Unit } from '../state/units.js';

/** A data point inside a unit. */
export interface UnitPoint {
  readonly longitude: number;
  readonly latitude: number;
  readonly elevationM: number;
  readonly survival: number;
}

/** The points of a surface that lie inside a unit, edges included. */
export function pointsInside(
  { geometry }: Pick<Unit, 'geometry'>,
  surface: Surface,
  method: Method,
  horizon: Horizon,
): UnitPoint[] {
  const isInside = insideOf(geometry);
  const values = surface.survival[method][`${horizon}`];
  return surface.latitude.flatMap((latitude, index) => {
    const longitude = surface.longitude[index];
    if (!isInside([longitude, latitude])) return [];
    return [{ longitude, latitude, elevationM: surface.elevation_m[index], survival: values[index] }];
  });
}

/** A range of values, low end included. */
export interface Band {
  readonly from: number;
  readonly to: number;
}

/** The most bands that a unit is divided into. */
const MAX_BANDS = 4;

/** A number without the error of binary fractions: 0.58 / 0.01 is 57.99999999999999. */
const rounded = (value: number) => Number(value.toFixed(6));

/**
 * Bands with round bounds that hold all values.
 * @param steps widths from small to large; the first that needs at most MAX_BANDS is used, else the last
 */
export function bandsOf(values: readonly number[], steps: readonly number[]): Band[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  for (const step of steps) {
    const [first, last] = [Math.floor(rounded(low / step)), Math.floor(rounded(high / step))];
    if (last - first < MAX_BANDS || step === steps.at(-1))
      return Array.from({ length: last - first + 1 }, (_, index) => ({
        from: rounded((first + index) * step),
        to: rounded((first + index + 1) * step),
      }));
  }
  return [];
}
