import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { type SharedGrid, valueAt } from '../../prediction/artefacts/shared-grid.js';
import { HORIZONS, PLANTING_METHODS, RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import type { ErrorCode } from '../../prediction/errors/api-error.js';
import type { RowRecords } from '../../prediction/row-record.js';

/**
 * A column of an answer. Every format writes it from this: its type is that in Arrow, and formats of text write a value in
 * its shortest form.
 */
export interface OutputColumn<Row> {
  readonly name: string;
  /** `text`: `value` is an index into the list that `texts` names. `flag`: it is 0 or 1. */
  readonly type: 'float64' | 'float32' | 'text' | 'flag';
  readonly texts?: keyof TextLists;
  /** Decimals to which formats of text round; other numbers are written as they are. */
  readonly decimals?: number;
  value(row: Row): number;
}

/** The texts that columns refer to by their index. */
export interface TextLists {
  readonly regions: readonly string[];
  readonly factors: readonly string[];
  readonly codes: readonly string[];
}

/** The codes that a row's error may have. */
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

/** What the columns of a grid point are read from. */
interface PointRow {
  readonly grid: SharedGrid;
  /** Index of the grid point. */
  point: number;
}

const TEN_THOUSANDTHS = 10_000;
const PROBABILITY_DECIMALS = 4;
const METRES_PER_KM = 1000;
/** Decimals of degrees: about a metre. */
const DEGREES_DECIMALS = 5;

const latitude = (name: string): OutputColumn<PointRow> => ({
  name,
  type: 'float64',
  decimals: DEGREES_DECIMALS,
  value: ({ grid: { index }, point }) => index.latitudes[index.row[point]],
});
const longitude = (name: string): OutputColumn<PointRow> => ({
  name,
  type: 'float64',
  decimals: DEGREES_DECIMALS,
  value: ({ grid: { index }, point }) => index.longitudes[index.column[point]],
});
const REGION: OutputColumn<PointRow> = {
  name: 'region',
  type: 'text',
  texts: 'regions',
  value: ({ grid, point }) => grid.region[point],
};

/** A row of a table that has a prediction; one object is moved from row to row. */
export interface PredictedRow extends PointRow {
  readonly records: RowRecords;
  /** Its record, and its method as an index into PLANTING_METHODS. */
  record: number;
  method: number;
}

interface TableColumn extends OutputColumn<PredictedRow> {
  /** Index into HORIZONS; undefined for columns that all answers have. */
  readonly h?: number;
  /** Only in answers with intervals. */
  readonly isInterval?: true;
}

const RANKS = Array.from({ length: RISK_FACTOR_COUNT }, (_, rank) => rank);

function horizonColumns(years: number, h: number): TableColumn[] {
  const probability = (name: string, value: (row: PredictedRow) => number): TableColumn => ({
    name,
    type: 'float32',
    decimals: PROBABILITY_DECIMALS,
    h,
    value: (row) => value(row) / TEN_THOUSANDTHS,
  });
  const factors = RANKS.flatMap((rank): TableColumn[] => [
    {
      name: `factor_${years}_${rank + 1}`,
      type: 'text',
      texts: 'factors',
      h,
      value: ({ records, record, method }) => records.riskFactor(record, method, h, rank),
    },
    probability(`contribution_${years}_${rank + 1}`, ({ records, record, method }) =>
      records.contribution(record, method, h, rank),
    ),
  ]);
  const low = probability(`low_${years}`, ({ records, record, method }) => records.low(record, method, h));
  const high = probability(`high_${years}`, ({ records, record, method }) => records.high(record, method, h));
  return [
    probability(`survival_${years}`, ({ records, record, method }) => records.survival(record, method, h)),
    ...factors,
    { ...low, isInterval: true },
    { ...high, isInterval: true },
  ];
}

/** What tables add to the uploaded columns, for rows that have a prediction. */
const TABLE_COLUMNS: readonly TableColumn[] = [
  latitude('matched_latitude'),
  longitude('matched_longitude'),
  {
    name: 'match_distance_km',
    type: 'float64',
    decimals: 3,
    value: ({ records, record }) => records.distanceM(record) / METRES_PER_KM,
  },
  REGION,
  ...HORIZONS.flatMap(horizonColumns),
];

/** What follows them, for rows that have an error. */
export const ERROR_COLUMNS = ['error_code', 'error_message'] as const;

/** Every name that a table may have in its answer: no uploaded column may have one. */
export const OUTPUT_NAMES: ReadonlySet<string> = new Set([
  ...TABLE_COLUMNS.map(({ name }) => name),
  ...ERROR_COLUMNS,
]);

/** The columns of an answer without those of errors. @param horizons set of horizons as bits */
export function tableColumns(horizons: number, intervals: boolean): OutputColumn<PredictedRow>[] {
  return TABLE_COLUMNS.filter(
    ({ h, isInterval }) => (h === undefined || (horizons & (1 << h)) !== 0) && (!isInterval || intervals),
  );
}

/** A point of a surface; one object is moved from point to point. */
export interface SurfaceRow extends PointRow {
  /** Index into the species list. */
  readonly species: number;
  /** The reported survival in ten-thousandths, Uint16 [methods, horizons, points]. */
  readonly survival: Uint16Array;
  readonly count: number;
  /** Index of the point among those of the surface. */
  position: number;
}

/** The columns of a surface. Longitude and latitude must be first (GeoJSON), survival last (JSON). */
export const SURFACE_COLUMNS: readonly OutputColumn<SurfaceRow>[] = [
  longitude('longitude'),
  latitude('latitude'),
  {
    name: 'elevation_m',
    type: 'float32',
    value: ({ grid, point }) => valueAt(grid.columns.elevation, point),
  },
  REGION,
  {
    name: 'in_native_range',
    type: 'flag',
    value: ({ grid, point, species }) => (grid.nativeRanges[point] >>> species) & 1,
  },
  ...PLANTING_METHODS.flatMap((method, m) =>
    HORIZONS.map(
      (years, h): OutputColumn<SurfaceRow> => ({
        name: `survival_${method}_${years}`,
        type: 'float32',
        decimals: PROBABILITY_DECIMALS,
        value: ({ survival, count, position }) =>
          survival[(m * HORIZONS.length + h) * count + position] / TEN_THOUSANDTHS,
      }),
    ),
  ),
];
