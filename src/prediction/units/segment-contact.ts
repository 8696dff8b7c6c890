import { orient2d } from 'robust-predicates';

/** How two segments meet. */
export const CONTACT = { none: 0, touch: 1, cross: 2 } as const;

export type Contact = (typeof CONTACT)[keyof typeof CONTACT];

/**
 * How the segments that end at positions `a` and `b` of the coordinates, and begin at the position before, meet: they cross
 * where each passes from one side of the other to its other side, and touch in any other common position. Exact.
 */
export function contactOf(coordinates: Float64Array, a: number, b: number): Contact {
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
