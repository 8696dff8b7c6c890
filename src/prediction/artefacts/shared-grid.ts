import type { GridFile, GridVariable } from './grid-file.js';
import { isPractice, type Manifest } from './manifest.js';
import { type GridPoints, indexPoints, type PointIndex, sharedCopy } from './point-index.js';

/** A variable of the grid without its bounds. */
export type StoredColumn = Omit<GridVariable, 'minimum' | 'maximum'>;

/** The value of a column at a point, in the column's unit. */
export function valueAt({ integers, scale, offset }: StoredColumn, point: number): number {
  return offset + scale * integers[point];
}

/**
 * The grid in shared memory: one copy whatever the number of workers. Plain data, so that it can be passed to a worker.
 */
export interface SharedGrid extends Omit<GridFile, keyof GridPoints | 'variables'> {
  /** Float32 [pointCount, featureCount], the models' features in their order. */
  readonly features: Float32Array;
  /** What options of requests need beside the features, by name: see `optionColumns`. */
  readonly columns: Readonly<Record<string, StoredColumn>>;
  readonly index: PointIndex;
}

/**
 * Copies a grid into shared memory.
 * @param modelFeatures the models' features in order; those of practice have their default at every point
 * @param columnNames the variables to keep as they are stored; the grid has them
 */
export function shareGrid(
  grid: GridFile,
  modelFeatures: Manifest['features'],
  columnNames: readonly string[],
): SharedGrid {
  const { version, coverage, regions, pointCount } = grid;
  const variable = (name: string) => grid.variables.get(name) as GridVariable;
  const featureCount = modelFeatures.length;
  const features = new Float32Array(new SharedArrayBuffer(4 * pointCount * featureCount));
  modelFeatures.forEach((modelFeature, feature) => {
    const { integers, scale, offset } = isPractice(modelFeature)
      ? { integers: undefined, scale: 0, offset: modelFeature.default }
      : variable(modelFeature.name);
    for (let point = 0; point < pointCount; point++) {
      features[point * featureCount + feature] = offset + scale * (integers?.[point] ?? 0);
    }
  });
  const columns = columnNames.map((name) => {
    const { unit, integers, scale, offset } = variable(name);
    return [name, { unit, integers: sharedCopy(integers), scale, offset }] as const;
  });
  return {
    version,
    coverage,
    regions,
    pointCount,
    region: sharedCopy(grid.region),
    features,
    columns: Object.fromEntries(columns),
    nativeRanges: sharedCopy(grid.nativeRanges),
    index: indexPoints(grid),
  };
}

/** Grid points in terms of the lattice and the regions. */
export interface MatchedPlaces {
  /** Uint16 [points]: rows of the lattice. */
  readonly latitude: Uint16Array;
  /** Uint16 [points]: columns of the lattice. */
  readonly longitude: Uint16Array;
  /** Uint8 [points]: indexes into the grid's `regions`. */
  readonly region: Uint8Array;
}

/**
 * Reads the grid for many points at once: they lie far apart in memory, and a processor waits for several of such accesses
 * at the same time if nothing else is done between them.
 */
export function matchedPlaces({ index, region }: SharedGrid, points: Int32Array): MatchedPlaces {
  const { row, column } = index;
  const places = {
    latitude: new Uint16Array(points.length),
    longitude: new Uint16Array(points.length),
    region: new Uint8Array(points.length),
  };
  for (let i = 0; i < points.length; i++) {
    const point = points[i];
    places.latitude[i] = row[point];
    places.longitude[i] = column[point];
    places.region[i] = region[point];
  }
  return places;
}
