import { orient2d } from 'robust-predicates';
import { boundsBetween, type Outline } from './outline.js';
import { type OutlineMistake, RingNesting, TOO_INTRICATE } from './ring-nesting.js';

/** Why it is not clear what an outline encloses; `too intricate` where it would take too long to find out. */
export type OutlineProblem = OutlineMistake | { readonly kind: 'too intricate' };

/** Positions of one outline. */
export const MAX_POSITIONS = 2 ** 17;

/**
 * Looks for the first thing that is wrong with an outline of at most MAX_POSITIONS. The rules are those of the OGC Simple
 * Features: a ring does not cross or touch itself; rings may touch, but not cross; holes lie inside their polygon and apart
 * from one another, as polygons do.
 */
export function outlineProblem(outline: Outline): OutlineProblem | undefined {
  const nesting = new RingNesting(outline);
  try {
    return wrongContact(outline, nesting) ?? nesting.mistake();
  } catch (error) {
    if (error === TOO_INTRICATE) return { kind: 'too intricate' };
    throw error;
  }
}

/** Two edges that meet and must not. Rings that touch are added to the nesting. */
function wrongContact({ coordinates, rings }: Outline, nesting: RingNesting): OutlineMistake | undefined {
  // An edge is the position where it ends.
  const edges = rings.flatMap(({ start, end }, ring) =>
    Array.from({ length: end - start - 1 }, (_, i) => ({ ring, edge: start + 1 + i })),
  );
  const boxes = edges.map(({ edge }) => boundsBetween(coordinates, edge - 1, edge + 1));
  for (const [index, before] of nesting.meeting(boxes)) {
    const [{ ring, edge }, other] = [edges[index], edges[before]];
    const isOneRing = ring === other.ring;
    const apart = edge - other.edge;
    // The neighbours of an edge share a position with it: the first edge of a ring is a neighbour of its last.
    if (isOneRing && (apart === 1 || apart === rings[ring].end - rings[ring].start - 2)) continue;
    const contact = contactOf(coordinates, edge, other.edge);
    if (contact === CONTACT.none) continue;
    if (isOneRing || contact === CONTACT.cross)
      return {
        kind: isOneRing ? 'a ring crosses or touches itself' : 'two rings cross',
        ...meeting(coordinates, edge, other.edge),
      };
    nesting.addTouch(ring, other.ring);
  }
  return undefined;
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
