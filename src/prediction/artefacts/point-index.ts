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
  /**
   * Uint32 [borderCount]: the points with a neighbour, of eight, that is no point. The nearest point to a place is one of
   * these, unless all four corners of the place's cell are points: the way to any other point leads past a nearer one.
   */
  readonly border: Uint32Array;
  /** A KDBush of the longitudes and latitudes of `border` in degrees, for `KDBush.from`. Its ids are indexes into `border`. */
  readonly tree: SharedArrayBuffer;
}

/** Indexes points. Does not check that they are in order, each node once. */
export function indexPoints(points: GridPoints): PointIndex {
  const { stepsPerDegree, latitudes, longitudes, row, column } = points;
  const nodes = nodesOf(points);
  const border = borderOf(points, nodes);
  return {
    stepsPerDegree,
    latitudes: sharedCopy(latitudes),
    longitudes: sharedCopy(longitudes),
    row: sharedCopy(row),
    column: sharedCopy(column),
    nodes: sharedCopy(nodes),
    border: sharedCopy(border),
    tree: treeOf(points, border),
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

function borderOf({ latitudes, longitudes, row, column }: GridPoints, nodes: Uint32Array): Uint32Array {
  const columns = longitudes.length;
  const isInside = (r: number, c: number) => {
    if (nodes.length === 0 || r === 0 || c === 0 || r === latitudes.length - 1 || c === columns - 1)
      return false;
    for (let south = (r - 1) * columns + c; south <= (r + 1) * columns + c; south += columns)
      if (nodes[south - 1] === 0 || nodes[south] === 0 || nodes[south + 1] === 0) return false;
    return true;
  };
  const border = new Uint32Array(row.length);
  let count = 0;
  for (let point = 0; point < row.length; point++)
    if (!isInside(row[point], column[point])) border[count++] = point;
  return border.subarray(0, count);
}

/** Points in a leaf of the tree: 64 build in two thirds of the time, and a search of them takes a tenth longer. */
const LEAF_POINTS = 32;

function treeOf({ longitudes, latitudes, column, row }: GridPoints, border: Uint32Array) {
  const tree = new KDBush(border.length, LEAF_POINTS, Float64Array, SharedArrayBuffer);
  for (const point of border) tree.add(longitudes[column[point]], latitudes[row[point]]);
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
