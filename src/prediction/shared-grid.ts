import KDBush from 'kdbush';
import type { GridFile } from './grid-file.js';

/**
 * The grid in memory that all threads share: one copy whatever the number of workers. Plain data, so that it can be
 * handed to a worker as it is.
 */
export interface SharedGrid {
  readonly pointCount: number;
  readonly regions: readonly string[];
  /** Float64 [pointCount], degrees. */
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
  /** Uint8 [pointCount], index into `regions`. */
  readonly region: Uint8Array;
  /** Float32 [pointCount, featureCount], the models' features in their order: a point's row is one run of memory. */
  readonly features: Float32Array;
  /** KDBush over (longitude, latitude), see `KDBush.from`. */
  readonly index: SharedArrayBuffer;
}

/** @param featureNames the models' features in order; each is a variable of the grid. */
export function shareGrid(grid: GridFile, featureNames: readonly string[]): SharedGrid {
  const { pointCount, regions } = grid;
  const latitude = new Float64Array(new SharedArrayBuffer(8 * pointCount));
  const longitude = new Float64Array(new SharedArrayBuffer(8 * pointCount));
  const region = new Uint8Array(new SharedArrayBuffer(pointCount));
  latitude.set(grid.latitude);
  longitude.set(grid.longitude);
  region.set(grid.region);

  const featureCount = featureNames.length;
  const features = new Float32Array(new SharedArrayBuffer(4 * pointCount * featureCount));
  featureNames.forEach((name, feature) => {
    const { values } = grid.variables.get(name)!;
    for (let point = 0; point < pointCount; point++)
      features[point * featureCount + feature] = values[point]!;
  });

  const index = new KDBush(pointCount, 64, Float64Array, SharedArrayBuffer);
  for (let point = 0; point < pointCount; point++) index.add(longitude[point]!, latitude[point]!);
  index.finish();
  return {
    pointCount,
    regions,
    latitude,
    longitude,
    region,
    features,
    index: index.data as SharedArrayBuffer,
  };
}
