import KDBush from 'kdbush';
import type { GridFile, GridVariable, StoredIntegers } from './grid-file.js';

/** Most points of a leaf of the KD-tree. */
const NODE_SIZE = 16;

/** A variable of the grid as it is stored: the value of a point is `offset` + `scale` * its integer. */
export interface StoredColumn {
  readonly unit: string;
  readonly integers: StoredIntegers;
  readonly scale: number;
  readonly offset: number;
}

/** The value of a column at a point, in the column's unit. */
export function valueAt({ integers, scale, offset }: StoredColumn, point: number): number {
  return offset + scale * integers[point];
}

/**
 * The grid in shared memory: one copy whatever the number of workers. Plain data, so that it can be passed to a worker.
 */
export interface SharedGrid {
  readonly version: string;
  readonly coverage: string;
  readonly pointCount: number;
  readonly regions: readonly string[];
  /** Uint8 [pointCount], index into `regions`. */
  readonly region: Uint8Array;
  /** Float32 [pointCount, featureCount], the models' features in their order. */
  readonly features: Float32Array;
  /** What options of requests need beside the features, by name: see `optionColumns`. */
  readonly columns: Readonly<Record<string, StoredColumn>>;
  /** Uint32 [pointCount]: bit i is set in the native range of species i. */
  readonly nativeRanges: Uint32Array;
  /** KDBush over (longitude, latitude) in degrees, see `KDBush.from`; its ids are the indexes of points in the columns. */
  readonly index: SharedArrayBuffer;
}

/**
 * Copies a grid into shared memory, its points in the order of the KD-tree: points near each other are near in memory,
 * so that searches in a large grid hit the processor's caches.
 * @param featureNames the models' features in order
 * @param columnNames the variables to keep as they are stored
 */
export function shareGrid(
  grid: GridFile,
  featureNames: readonly string[],
  columnNames: readonly string[],
): SharedGrid {
  const { version, coverage, regions, pointCount } = grid;
  const index = new KDBush(pointCount, NODE_SIZE, Float64Array, SharedArrayBuffer);
  for (let point = 0; point < pointCount; point++) index.add(grid.longitude[point], grid.latitude[point]);
  index.finish();
  const order = index.ids.slice();
  for (let point = 0; point < pointCount; point++) index.ids[point] = point;

  const variable = (name: string): GridVariable => {
    const found = grid.variables.get(name);
    if (found === undefined) throw new Error(`the grid has no variable ${name}`);
    return found;
  };
  const featureCount = featureNames.length;
  const features = new Float32Array(new SharedArrayBuffer(4 * pointCount * featureCount));
  featureNames.forEach((name, feature) => {
    const { integers, scale, offset } = variable(name);
    for (let point = 0; point < pointCount; point++) {
      features[point * featureCount + feature] = offset + scale * integers[order[point]];
    }
  });
  const columns = columnNames.map((name) => {
    const { unit, integers, scale, offset } = variable(name);
    return [name, { unit, integers: sharedInOrder(integers, order), scale, offset }] as const;
  });
  return {
    version,
    coverage,
    regions,
    pointCount,
    region: sharedInOrder(grid.region, order),
    features,
    columns: Object.fromEntries(columns),
    nativeRanges: sharedInOrder(grid.nativeRanges, order),
    index: index.data as SharedArrayBuffer,
  };
}

/** A copy of integers in shared memory, in another order. */
function sharedInOrder<Integers extends StoredIntegers | Uint32Array>(
  integers: Integers,
  order: ArrayLike<number>,
): Integers {
  const memory = new SharedArrayBuffer(integers.byteLength);
  const copy = new (integers.constructor as new (memory: SharedArrayBuffer) => Integers)(memory);
  for (let point = 0; point < copy.length; point++) copy[point] = integers[order[point]];
  return copy;
}
