import KDBush from 'kdbush';
import type { GridFile } from './grid-file.js';

/** Most points of a leaf of the KD-tree. */
const NODE_SIZE = 16;

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
  /** KDBush over (longitude, latitude) in degrees, see `KDBush.from`; its ids are the indexes of points in the columns. */
  readonly index: SharedArrayBuffer;
}

/**
 * Copies a grid into shared memory, its points in the order of the KD-tree: points near each other are near in memory,
 * so that searches in a large grid hit the processor's caches.
 * @param featureNames the models' features in order
 */
export function shareGrid(grid: GridFile, featureNames: readonly string[]): SharedGrid {
  const { version, coverage, regions, pointCount } = grid;
  const index = new KDBush(pointCount, NODE_SIZE, Float64Array, SharedArrayBuffer);
  for (let point = 0; point < pointCount; point++) index.add(grid.longitude[point], grid.latitude[point]);
  index.finish();
  const order = index.ids.slice();
  for (let point = 0; point < pointCount; point++) index.ids[point] = point;

  const region = new Uint8Array(new SharedArrayBuffer(pointCount));
  for (let point = 0; point < pointCount; point++) region[point] = grid.region[order[point]];

  const featureCount = featureNames.length;
  const features = new Float32Array(new SharedArrayBuffer(4 * pointCount * featureCount));
  featureNames.forEach((name, feature) => {
    const variable = grid.variables.get(name);
    if (variable === undefined) throw new Error(`the grid has no variable ${name}`);
    const { integers, scale, offset } = variable;
    for (let point = 0; point < pointCount; point++) {
      features[point * featureCount + feature] = offset + scale * integers[order[point]];
    }
  });
  return { version, coverage, regions, pointCount, region, features, index: index.data as SharedArrayBuffer };
}
