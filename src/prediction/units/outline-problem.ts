import { orient2d } from 'robust-predicates';
import { boundsBetween, type Outline } from './outline.js';
import { type NestingProblem, RingNesting } from './ring-nesting.js';

/** Why it is not clear what an outline encloses, and near which place. */
export type OutlineProblem =
  | {
      readonly kind: 'ring meets itself' | 'rings cross' | NestingProblem['kind'];
      readonly longitude: number;
      readonly latitude: number;
    }
  /** To find out would take too long. */
  | { readonly kind: 'too intricate' };

/** Pairs of edges or rings that are compared for one outline. Real outlines need some dozen for each edge. */
const MAX_COMPARISONS = 20_000_000;

/**
 * Pairs of rings that may touch, each of which is kept: as many polygons as MAX_POSITIONS allows, each with the eight
 * neighbours of a square in a grid, have fewer. Thousands that meet in one place have millions.
 */
const MAX_TOUCHES = 2 ** 18;

/** Positions of one outline. */
export const MAX_POSITIONS = 2 ** 17;

/**
 * Looks for the first thing that is wrong with an outline of at most MAX_POSITIONS. The rules are those of the OGC Simple
 * Features: a ring does not cross or touch itself; rings may touch, but not cross; holes lie inside their polygon and apart
 * from one another, as polygons do.
 */
export function outlineProblem(outline: Outline): OutlineProblem | undefined {
  const { coordinates, rings } = outline;
  const ringOf = new Uint32Array(coordinates.length / 2);
  for (const [ring, { start, end }] of rings.entries()) ringOf.fill(ring, start, end);
  const isAdjacent = (a: number, b: number) => {
    const { start, end } = rings[ringOf[a]];
    const apart = Math.abs(a - b);
    return apart === 1 || apart === end - start - 2; // the first edge of a ring and the last
  };
  const nesting = new RingNesting(outline);
  let comparisons = 0;
  // A sweep from west to east: only edges that the sweep line crosses together can meet.
  const active: number[] = [];
  const { edges, tolerance } = edgesFromWest(outline);
  for (const edge of edges) {
    const west = Math.min(coordinates[2 * edge - 2], coordinates[2 * edge]) - tolerance;
    const south = Math.min(coordinates[2 * edge - 1], coordinates[2 * edge + 1]);
    const north = Math.max(coordinates[2 * edge - 1], coordinates[2 * edge + 1]);
    comparisons += active.length;
    if (comparisons > MAX_COMPARISONS) return { kind: 'too intricate' };
    let kept = 0;
    for (let i = 0; i < active.length; i++) {
      const other = active[i];
      if (Math.max(coordinates[2 * other - 2], coordinates[2 * other]) < west) continue;
      active[kept++] = other;
      const y1 = coordinates[2 * other - 1];
      const y2 = coordinates[2 * other + 1];
      if ((y1 > north && y2 > north) || (y1 < south && y2 < south)) continue;
      const isOneRing = ringOf[edge] === ringOf[other];
      if (isOneRing && isAdjacent(edge, other)) continue;
      const contact = contactOf(coordinates, edge, other);
      if (contact === CONTACT.none) continue;
      if (!isOneRing && contact === CONTACT.touch) {
        if (nesting.addTouch(ringOf[edge], ringOf[other]) > MAX_TOUCHES) return { kind: 'too intricate' };
      } else
        return {
          kind: isOneRing ? 'ring meets itself' : 'rings cross',
          ...meeting(coordinates, edge, other),
        };
    }
    active.length = kept;
    active.push(edge);
  }
  const found = nesting.problem(MAX_COMPARISONS - comparisons);
  if (found === undefined) return undefined;
  if (found === 'too intricate') return { kind: found };
  const at = 2 * rings[found.ring].start;
  return { kind: found.kind, longitude: coordinates[at], latitude: coordinates[at + 1] };
}

/** The edges of an outline, each as the position where it ends, in the order of their western ends but for `tolerance`. */
function edgesFromWest({ coordinates, rings }: Outline) {
  const { west, east } = boundsBetween(coordinates, 0, coordinates.length / 2);
  // The western end in 2^33 steps and the position in one exact integer: numbers alone are sorted fast.
  const tolerance = (east - west) / 2 ** 33;
  const keys = new Float64Array(coordinates.length / 2 - rings.length);
  let edge = 0;
  for (const { start, end } of rings)
    for (let at = start + 1; at < end; at++) {
      const from = Math.min(coordinates[2 * at - 2], coordinates[2 * at]);
      keys[edge++] = Math.floor((from - west) / (tolerance || 1)) * MAX_POSITIONS + at;
    }
  return { edges: Uint32Array.from(keys.sort(), (key) => key % MAX_POSITIONS), tolerance: 2 * tolerance };
}

/** Where two edges meet, about: the crossing of their lines, or the middle of what they share. */
function meeting(coordinates: Float64Array, a: number, b: number) {
  const x1 = coordinates[2 * a - 2];
  const y1 = coordinates[2 * a - 1];
  const [dx, dy] = [coordinates[2 * a] - x1, coordinates[2 * a + 1] - y1];
  const [bx, by] = [coordinates[2 * b - 2], coordinates[2 * b - 1]];
  const [ex, ey] = [coordinates[2 * b] - bx, coordinates[2 * b + 1] - by];
  const cross = dx * ey - dy * ex;
  if (cross === 0) return { longitude: coordinates[2 * b], latitude: coordinates[2 * b + 1] };
  const along = ((bx - x1) * ey - (by - y1) * ex) / cross;
  return { longitude: x1 + along * dx, latitude: y1 + along * dy };
}

/** How two segments meet. */
const CONTACT = { none: 0, touch: 1, cross: 2 } as const;

type Contact = (typeof CONTACT)[keyof typeof CONTACT];

/**
 * How the segments that end at positions `a` and `b` of the coordinates, and begin at the position before, meet: they cross
 * where each passes from one side of the other to its other side, and touch in any other common position. Exact.
 */
function contactOf(coordinates: Float64Array, a: number, b: number): Contact {
  const ax1 = coordinates[2 * a - 2];
  const ay1 = coordinates[2 * a - 1];
  const ax2 = coordinates[2 * a];
  const ay2 = coordinates[2 * a + 1];
  const bx1 = coordinates[2 * b - 2];
  const by1 = coordinates[2 * b - 1];
  const bx2 = coordinates[2 * b];
  const by2 = coordinates[2 * b + 1];
  const start = Math.sign(orient2d(ax1, ay1, ax2, ay2, bx1, by1));
  const end = Math.sign(orient2d(ax1, ay1, ax2, ay2, bx2, by2));
  if (start * end > 0) return CONTACT.none;
  const otherStart = Math.sign(orient2d(bx1, by1, bx2, by2, ax1, ay1));
  const otherEnd = Math.sign(orient2d(bx1, by1, bx2, by2, ax2, ay2));
  if (otherStart * otherEnd > 0) return CONTACT.none;
  if (start * end < 0 && otherStart * otherEnd < 0) return CONTACT.cross;
  const touches =
    (start === 0 && isBetween(bx1, by1, ax1, ay1, ax2, ay2)) ||
    (end === 0 && isBetween(bx2, by2, ax1, ay1, ax2, ay2)) ||
    (otherStart === 0 && isBetween(ax1, ay1, bx1, by1, bx2, by2)) ||
    (otherEnd === 0 && isBetween(ax2, ay2, bx1, by1, bx2, by2));
  return touches ? CONTACT.touch : CONTACT.none;
}

/** Whether a position on the line through two others lies between them or on one of them. */
function isBetween(x: number, y: number, x1: number, y1: number, x2: number, y2: number): boolean {
  return x >= Math.min(x1, x2) && x <= Math.max(x1, x2) && y >= Math.min(y1, y2) && y <= Math.max(y1, y2);
}
