import type { PlainOptions } from './plain-climate.js';

export interface PlainError {
  readonly at_point: number;
  readonly per_km: number;
  readonly per_elevation_km?: number;
  readonly column?: string;
  /** Whether the numbers are shares of the value. */
  readonly relative?: boolean;
}

/**
 * The standard errors of a site's features.
 * @param values of the features by name, before any scenario
 * @param column the value of a column of the grid at the matched point; undefined where the grid has none
 */
export function plainErrors(
  features: readonly { readonly name: string; readonly error?: PlainError }[],
  values: Readonly<Record<string, number>>,
  column: (name: string) => number | undefined,
  distanceKm: number,
  { elevation_m, conditions = {} }: PlainOptions,
): Float32Array {
  return Float32Array.from(features, ({ name, error }) => {
    if (error === undefined || Object.hasOwn(conditions, name)) return 0;
    const atPoint = error.column === undefined ? error.at_point : column(error.column)!;
    const movesWithElevation = name === 'elevation' || column(`lapse_${name}`) !== undefined;
    const away = elevation_m !== undefined && movesWithElevation ? 0 : error.per_km * distanceKm;
    const riseKm = elevation_m === undefined ? 0 : (elevation_m - column('elevation')!) / 1000;
    const above = (error.per_elevation_km ?? 0) * riseKm;
    return Math.sqrt(atPoint ** 2 + away ** 2 + above ** 2) * (error.relative ? values[name] : 1);
  });
}

/** The interval of equally likely values around a reported one, at least of 4 decimals. */
export function plainInterval(level: number, values: readonly number[], reported: number) {
  const sorted = values.toSorted((a, b) => a - b);
  const end = (share: number) => {
    const rank = share * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
    return Math.floor((below + (above - below) * (rank - Math.floor(rank))) * 10_000 + 0.5) / 10_000;
  };
  const tail = (1 - level) / 2;
  return { level, low: Math.min(end(tail), reported), high: Math.max(end(1 - tail), reported) };
}
