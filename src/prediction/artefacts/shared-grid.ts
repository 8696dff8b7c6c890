import { ArtefactError } from './artefact-file.js';
import type { GridFile, GridVariable } from './grid-file.js';
import { isPractice, type Manifest } from './manifest.js';
import { type GridPoints, indexPoints, type PointIndex, sharedCopy } from './point-index.js';

/** The value of a column at a point, in the column's unit. */
export function valueAt({ integers, scale, offset }: GridVariable, point: number): number {
  return offset + scale * integers[point];
}

/** The grid in shared memory: one copy whatever the number of workers. Plain data, so that it can be passed to a worker. */
export interface SharedGrid extends Omit<GridFile, keyof GridPoints | 'variables'> {
  /** Float32 [pointCount, featureCount], the models' features in their order. */
  readonly features: Float32Array;
  /** Columns for the options of requests, by name: see `optionColumns`. */
  readonly columns: Readonly<Record<string, GridVariable>>;
  readonly index: PointIndex;
}

/** Copies a grid into shared memory. @param file the path of the grid, for errors @throws ArtefactError as `optionColumns` */
export function shareGrid(file: string, grid: GridFile, manifest: Manifest): SharedGrid {
  const { version, coverage, regions, pointCount } = grid;
  const featureCount = manifest.features.length;
  const features = new Float32Array(new SharedArrayBuffer(4 * pointCount * featureCount));
  const columns = manifest.features.map((feature) =>
    isPractice(feature) ? feature.default : (grid.variables.get(feature.name) as GridVariable),
  );
  let at = 0;
  for (let point = 0; point < pointCount; point++)
    for (const column of columns)
      features[at++] = typeof column === 'number' ? column : valueAt(column, point);
  return {
    version,
    coverage,
    regions,
    pointCount,
    region: sharedCopy(grid.region),
    features,
    columns: optionColumns(file, grid, manifest),
    nativeRanges: sharedCopy(grid.nativeRanges),
    index: indexPoints(grid),
  };
}

/** The column with the change of a variable with elevation. */
export function lapseColumnOf(name: string): string {
  return `lapse_${name}`;
}

/** The unit of a lapse rate of a variable's logarithm; that of any other is the variable's unit and `/km`. */
export const LAPSE_OF_LOGARITHM = '1/km';

/** The feature that follows a temperature, degrees Celsius, in a changed climate where relative humidity stays. */
export const VAPOR_PRESSURE_DEFICIT = { name: 'vpd_max', temperature: 'temperature_max' } as const;

/**
 * The columns that options of requests need in addition to the features: elevation, the temperature that vapor pressure
 * deficit follows, lapse rates of that temperature and of the features if the grid has any, and the errors of features.
 * @throws ArtefactError naming the grid's file where a column is missing or in another unit
 */
function optionColumns(file: string, { variables }: GridFile, { features }: Manifest): SharedGrid['columns'] {
  const columns: Record<string, GridVariable> = {};
  const keep = (name: string, unit: string) => {
    const column = variables.get(name);
    if (column === undefined) throw new ArtefactError(file, `column ${name} is missing`);
    if (column.unit !== unit)
      throw new ArtefactError(file, `column ${name} is in ${column.unit}, but must be in ${unit}`);
    columns[name] ??= { ...column, integers: sharedCopy(column.integers) };
  };
  const keepLapse = (name: string, unit: string) => {
    const lapse = variables.get(lapseColumnOf(name));
    if (lapse !== undefined)
      keep(lapseColumnOf(name), lapse.unit === LAPSE_OF_LOGARITHM ? LAPSE_OF_LOGARITHM : `${unit}/km`);
  };
  keep('elevation', 'm');
  for (const feature of features) {
    if (isPractice(feature)) continue;
    const { name, unit, error } = feature;
    if (error.column !== undefined) keep(error.column, unit);
    keepLapse(name, unit);
    if (name !== VAPOR_PRESSURE_DEFICIT.name) continue;
    keep(VAPOR_PRESSURE_DEFICIT.temperature, 'degC');
    keepLapse(VAPOR_PRESSURE_DEFICIT.temperature, 'degC');
  }
  return columns;
}

export type MatchedPlaces = ReturnType<typeof matchedPlaces>;

/**
 * Reads the grid for many points at once. They lie far apart in memory, and a processor overlaps the waits for such
 * accesses if nothing else is done between them.
 * @returns for each point its row and column of the lattice, and its index into the grid's `regions`
 */
export function matchedPlaces({ index, region }: SharedGrid, points: Int32Array) {
  const { row, column } = index;
  const places = {
    row: new Uint16Array(points.length),
    column: new Uint16Array(points.length),
    region: new Uint8Array(points.length),
  };
  for (let i = 0; i < points.length; i++) {
    const point = points[i];
    places.row[i] = row[point];
    places.column[i] = column[point];
    places.region[i] = region[point];
  }
  return places;
}
