import KDBush from 'kdbush';

/** With more, the rounding of coordinates to 5 decimals would be a large part of the distance between two nodes. */
export const MAX_STEPS_PER_DEGREE = 10_000;

/** Points at nodes of a lattice, in the order of rows, then columns. */
export interface GridPoints {
  /** At most MAX_STEPS_PER_DEGREE. */
  readonly stepsPerDegree: number;
  /** Float64 [rows]: degrees north of the lattice's rows, ascending. */
  readonly latitudes: Float64Array;
  /** Float64 [columns]: degrees east of the lattice's columns, ascending. */
  readonly longitudes: Float64Array;
  /** Uint16 [pointCount], index into `latitudes`. */
  readonly row: Uint16Array;
  /** Uint16 [pointCount], index into `longitudes`. */
  readonly column: Uint16Array;
}

/**
 * Points in shared memory with a KD-tree, for searches by distance, and a table of blocks, for walks over the lattice. A row
 * of the lattice is divided into blocks of as many columns each.
 */
export interface PointIndex extends GridPoints {
  /** A KDBush of the points' longitudes and latitudes in degrees, for `KDBush.from`. Its ids are the points' indexes. */
  readonly tree: SharedArrayBuffer;
  readonly blockColumns: number;
  readonly blocksPerRow: number;
  /** Uint32 [rows * blocksPerRow + 1]: how many points precede each block; the points of block b are those from starts[b] to starts[b + 1]. */
  readonly starts: Uint32Array;
}

/** Mean number of points in a block. Smaller blocks take more memory and make searches no faster. */
const POINTS_PER_BLOCK = 4;

/** Indexes points; their order is not checked. */
export function indexPoints({ stepsPerDegree, latitudes, longitudes, row, column }: GridPoints): PointIndex {
  const nodes = latitudes.length * longitudes.length;
  const blockColumns = Math.ceil((POINTS_PER_BLOCK * nodes) / row.length);
  const blocksPerRow = Math.ceil(longitudes.length / blockColumns);
  const starts = new Uint32Array(
    new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT * (latitudes.length * blocksPerRow + 1)),
  );
  for (let point = 0; point < row.length; point++) {
    starts[row[point] * blocksPerRow + Math.floor(column[point] / blockColumns) + 1]++;
  }
  for (let block = 1; block < starts.length; block++) starts[block] += starts[block - 1];
  return {
    stepsPerDegree,
    latitudes: sharedCopy(latitudes),
    longitudes: sharedCopy(longitudes),
    row: sharedCopy(row),
    column: sharedCopy(column),
    tree: treeOf(row.length, (point) => [longitudes[column[point]], latitudes[row[point]]]),
    blockColumns,
    blocksPerRow,
    starts,
  };
}

/** Points in a leaf of the tree: 64 build in two thirds of the time, and a search of them takes a tenth longer. */
const LEAF_POINTS = 32;

function treeOf(count: number, placeOf: (point: number) => readonly [longitude: number, latitude: number]) {
  const tree = new KDBush(count, LEAF_POINTS, Float64Array, SharedArrayBuffer);
  for (let point = 0; point < count; point++) tree.add(...placeOf(point));
  return tree.finish().data as SharedArrayBuffer;
}

/** A copy of numbers in shared memory. */
export function sharedCopy<
  Numbers extends Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Float64Array,
>(numbers: Numbers): Numbers {
  const memory = new SharedArrayBuffer(numbers.byteLength);
  const copy = new (numbers.constructor as new (memory: SharedArrayBuffer) => Numbers)(memory);
  copy.set(numbers);
  return copy;
}
