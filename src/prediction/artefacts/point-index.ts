import KDBush from 'kdbush';

/**
 * Points at nodes of a lattice, ordered by row, then column. If all four corners of a cell are points, the nearest
 * point to a place in it is one of them: cells are small, and far from the poles and the antimeridian.
 */
export interface GridPoints {
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

/** Points in shared memory, for searches by distance. */
export interface PointIndex extends GridPoints {
  /** Uint32 [rows, columns]: the point at each node plus 1, or 0. Empty for lattices of more than MAX_NODES. */
  readonly nodes: Uint32Array;
  /** A KDBush of the points' longitudes and latitudes in degrees, for `KDBush.from`. Its ids are the points' indexes. */
  readonly tree: SharedArrayBuffer;
}

/** Indexes points. Does not check that they are in order, each node once. */
export function indexPoints(points: GridPoints): PointIndex {
  const { stepsPerDegree, latitudes, longitudes, row, column } = points;
  return {
    stepsPerDegree,
    latitudes: sharedCopy(latitudes),
    longitudes: sharedCopy(longitudes),
    row: sharedCopy(row),
    column: sharedCopy(column),
    nodes: sharedCopy(nodesOf(points)),
    tree: treeOf(points),
  };
}

/** The first point at a node of the lattice or after it. */
export function firstPointAt({ row, column }: GridPoints, ofRow: number, ofColumn: number): number {
  let [from, to] = [0, row.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (row[middle] < ofRow || (row[middle] === ofRow && column[middle] < ofColumn)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The point at a node of the lattice; -1 where it has none, or `nodes` is empty. */
export function pointAt({ nodes, latitudes, longitudes }: PointIndex, row: number, column: number): number {
  const isNode = row >= 0 && row < latitudes.length && column >= 0 && column < longitudes.length;
  return isNode && nodes.length > 0 ? nodes[row * longitudes.length + column] - 1 : -1;
}

function nodesOf({ latitudes, longitudes, row, column }: GridPoints): Uint32Array {
  const count = latitudes.length * longitudes.length;
  const nodes = new Uint32Array(count > MAX_NODES ? 0 : count);
  if (nodes.length > 0)
    for (let point = 0; point < row.length; point++)
      nodes[row[point] * longitudes.length + column[point]] = point + 1;
  return nodes;
}

/** With more, a lattice with few points would take far more memory than the points. */
const MAX_NODES = 2 ** 24;

/** Points in a leaf of the tree: 64 build in two thirds of the time, and a search of them takes a tenth longer. */
const LEAF_POINTS = 32;

function treeOf({ longitudes, latitudes, column, row }: GridPoints) {
  const tree = new KDBush(row.length, LEAF_POINTS, Float64Array, SharedArrayBuffer);
  for (let point = 0; point < row.length; point++) tree.add(longitudes[column[point]], latitudes[row[point]]);
  return tree.finish().data as SharedArrayBuffer;
}

export function sharedCopy<
  Numbers extends Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Float64Array,
>(numbers: Numbers): Numbers {
  const memory = new SharedArrayBuffer(numbers.byteLength);
  const copy = new (numbers.constructor as new (memory: SharedArrayBuffer) => Numbers)(memory);
  copy.set(numbers);
  return copy;
}
