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
  /**
   * Uint32 [rows, words, 2]: for every 32 columns of a row, a bit for each node that has a point, and the number of points
   * before these columns. Empty for lattices of more than MAX_NODES.
   */
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

/** The first of `length` ordered things that is not before a limit; `length` where all are. */
export function firstIndex(length: number, isBefore: (index: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The first point at a node of the lattice or after it. */
export function firstPointAt({ row, column }: GridPoints, ofRow: number, ofColumn: number): number {
  return firstIndex(row.length, (at) => row[at] < ofRow || (row[at] === ofRow && column[at] < ofColumn));
}

/** The point at a node of the lattice; -1 where it has none, or `nodes` is empty. */
export function pointAt({ nodes, latitudes, longitudes }: PointIndex, row: number, column: number): number {
  const isNode = row >= 0 && row < latitudes.length && column >= 0 && column < longitudes.length;
  if (!isNode || nodes.length === 0) return -1;
  const at = wordAt(longitudes.length, row, column);
  const bit = 1 << (column % WORD_BITS);
  return (nodes[at] & bit) === 0 ? -1 : nodes[at + 1] + countBits(nodes[at] & (bit - 1));
}

const WORD_BITS = 32;

/** Where the bits of a node and of its neighbours are; the number of points before them follows. */
function wordAt(columnCount: number, row: number, column: number): number {
  return 2 * (row * Math.ceil(columnCount / WORD_BITS) + Math.floor(column / WORD_BITS));
}

/** Bits and counts fit the caches of a core, where the numbers of all points would not. */
function nodesOf({ latitudes, longitudes, row, column }: GridPoints): Uint32Array {
  const columnCount = longitudes.length;
  if (latitudes.length * columnCount > MAX_NODES) return new Uint32Array(0);
  const nodes = new Uint32Array(wordAt(columnCount, latitudes.length, 0));
  for (let point = 0; point < row.length; point++)
    nodes[wordAt(columnCount, row[point], column[point])] |= 1 << (column[point] % WORD_BITS);
  for (let at = 2; at < nodes.length; at += 2) nodes[at + 1] = nodes[at - 1] + countBits(nodes[at - 2]);
  return nodes;
}

/** The bits that are set in 32: Warren, Hacker's Delight, 2nd edition, figure 5-2. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** With more, a lattice with few points would take far more memory than the points. */
const MAX_NODES = 2 ** 24;

function borderOf({ latitudes, longitudes, row, column }: GridPoints, nodes: Uint32Array): Uint32Array {
  const columns = longitudes.length;
  const isPoint = (r: number, c: number) => (nodes[wordAt(columns, r, c)] & (1 << (c % WORD_BITS))) !== 0;
  const isInside = (r: number, c: number) => {
    if (nodes.length === 0 || r === 0 || c === 0 || r === latitudes.length - 1 || c === columns - 1)
      return false;
    for (let south = r - 1; south <= r + 1; south++)
      if (!isPoint(south, c - 1) || !isPoint(south, c) || !isPoint(south, c + 1)) return false;
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
