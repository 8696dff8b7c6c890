import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { type SharedGrid, valueAt } from '../../prediction/artefacts/shared-grid.js';
import { ALL_HORIZONS, HORIZONS, PLANTING_METHODS, RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import { type RowRecords, SCALE, SCALE_DECIMALS } from '../../prediction/row-record.js';
import type { ErrorCode } from '../errors/api-error.js';

/**
 * A column of an answer. Every format writes it from this: its type is that in Arrow, and formats of text write a value in
 * its shortest form.
 */
export interface OutputColumn<Rows> {
  readonly name: string;
  /** `text`: values are indexes into the list that `texts` names. `flag`: they are 0 or 1. */
  readonly type: 'float64' | 'float32' | 'text' | 'flag';
  readonly texts?: keyof TextLists;
  /** Decimals to which formats of text round; other numbers are written as they are. */
  readonly decimals?: number;
  /** Fills `values` with those of the first rows. Each column has a loop of its own: a call for each value is slower. */
  readonly read: (rows: Rows, values: ColumnValues) => void;
}

/** Memory for the values of a column, as its format keeps them. */
interface ColumnValues {
  readonly length: number;
  [row: number]: number;
}

/** The texts that columns refer to by their index. */
export interface TextLists {
  readonly regions: readonly string[];
  readonly factors: readonly string[];
  readonly codes: readonly string[];
}

const ROW_ERROR_CODES: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_species',
  'invalid_method',
  'outside_coverage',
  'no_nearby_data',
  'elevation_mismatch',
];

export function textListsOf({ grid, manifest }: Pick<Artefacts, 'grid' | 'manifest'>): TextLists {
  const factors = manifest.features.map(({ label }) => label);
  return { regions: grid.regions, factors, codes: ROW_ERROR_CODES };
}

/** What the columns of grid points are read from. */
interface PointRows {
  readonly grid: SharedGrid;
  /** The grid point of each row. */
  readonly points: Int32Array;
}

const METRES_PER_KM = 1000;

/** Five decimals are about a metre. */
const DEGREES = { type: 'float64', decimals: 5 } as const;
const LATITUDE = {
  ...DEGREES,
  read({ grid: { index }, points }: PointRows, values: ColumnValues) {
    for (let i = 0; i < values.length; i++) values[i] = index.latitudes[index.row[points[i]]];
  },
};
const LONGITUDE = {
  ...DEGREES,
  read({ grid: { index }, points }: PointRows, values: ColumnValues) {
    for (let i = 0; i < values.length; i++) values[i] = index.longitudes[index.column[points[i]]];
  },
};
const REGION: OutputColumn<PointRows> = {
  name: 'region',
  type: 'text',
  texts: 'regions',
  read({ grid, points }, values) {
    for (let i = 0; i < values.length; i++) values[i] = grid.region[points[i]];
  },
};

/** Rows of a table with their records. The values of rows without a prediction are undefined. */
export interface PredictedRows extends PointRows {
  readonly records: RowRecords;
  /** The method of each row, as an index into PLANTING_METHODS. */
  readonly method: Uint8Array;
}

const RANKS = Array.from({ length: RISK_FACTOR_COUNT }, (_, rank) => rank);

/** @param h index into HORIZONS */
function horizonColumns(years: number, h: number, intervals: boolean): OutputColumn<PredictedRows>[] {
  const probability = { type: 'float32', decimals: SCALE_DECIMALS } as const;
  const factors = RANKS.flatMap((rank): OutputColumn<PredictedRows>[] => [
    {
      name: `factor_${years}_${rank + 1}`,
      type: 'text',
      texts: 'factors',
      read({ records, method }, values) {
        for (let i = 0; i < values.length; i++) values[i] = records.riskFactor(i, method[i], h, rank);
      },
    },
    {
      ...probability,
      name: `contribution_${years}_${rank + 1}`,
      read({ records, method }, values) {
        for (let i = 0; i < values.length; i++)
          values[i] = records.contribution(i, method[i], h, rank) / SCALE;
      },
    },
  ]);
  const survival = (of: 'survival' | 'low' | 'high'): OutputColumn<PredictedRows> => ({
    ...probability,
    name: `${of}_${years}`,
    read({ records, method }, values) {
      for (let i = 0; i < values.length; i++) values[i] = records[of](i, method[i], h) / SCALE;
    },
  });
  return [survival('survival'), ...factors, ...(intervals ? [survival('low'), survival('high')] : [])];
}

const PLACE_COLUMNS: readonly OutputColumn<PredictedRows>[] = [
  { ...LATITUDE, name: 'matched_latitude' },
  { ...LONGITUDE, name: 'matched_longitude' },
  {
    name: 'match_distance_km',
    type: 'float64',
    decimals: 3,
    read({ records }, values) {
      for (let i = 0; i < values.length; i++) values[i] = records.distanceM(i) / METRES_PER_KM;
    },
  },
  REGION,
];

/**
 * What tables add to the uploaded columns, for rows that have a prediction.
 * @param horizons set of horizons as bits
 */
export function tableColumns(horizons: number, intervals: boolean): OutputColumn<PredictedRows>[] {
  const ofHorizons = HORIZONS.flatMap((years, h) =>
    (horizons & (1 << h)) === 0 ? [] : horizonColumns(years, h, intervals),
  );
  return [...PLACE_COLUMNS, ...ofHorizons];
}

/** The columns after these, for rows that have an error. */
export const ERROR_COLUMNS = ['error_code', 'error_message'] as const;

/** The names of all columns that an answer can have: no uploaded column may have one of them. */
export const OUTPUT_NAMES: ReadonlySet<string> = new Set([
  ...tableColumns(ALL_HORIZONS, true).map(({ name }) => name),
  ...ERROR_COLUMNS,
]);

/** Consecutive points of a surface. */
export interface SurfaceRows extends PointRows {
  /** Index into the species list. */
  readonly species: number;
  /** In ten-thousandths: the reported survival, Uint16 [methods, horizons, count], and then other values. */
  readonly values: Uint16Array;
  /** How many points the surface has. */
  readonly count: number;
  /** The position of the first of these points in the surface. */
  readonly from: number;
}

/** The columns of a surface. Longitude and latitude must be first (GeoJSON), survival last (JSON). */
export const SURFACE_COLUMNS: readonly OutputColumn<SurfaceRows>[] = [
  { ...LONGITUDE, name: 'longitude' },
  { ...LATITUDE, name: 'latitude' },
  {
    name: 'elevation_m',
    type: 'float32',
    read({ grid, points }, values) {
      for (let i = 0; i < values.length; i++) values[i] = valueAt(grid.columns.elevation, points[i]);
    },
  },
  REGION,
  {
    name: 'in_native_range',
    type: 'flag',
    read({ grid, points, species }, values) {
      for (let i = 0; i < values.length; i++) values[i] = (grid.nativeRanges[points[i]] >>> species) & 1;
    },
  },
  ...PLANTING_METHODS.flatMap((method, m) =>
    HORIZONS.map(
      (years, h): OutputColumn<SurfaceRows> => ({
        name: `survival_${method}_${years}`,
        type: 'float32',
        decimals: SCALE_DECIMALS,
        read({ values: ofPoints, count, from }, values) {
          const first = (m * HORIZONS.length + h) * count + from;
          for (let i = 0; i < values.length; i++) values[i] = ofPoints[first + i] / SCALE;
        },
      }),
    ),
  ),
];
