import Flatbush from 'flatbush';
import { orient2d } from 'robust-predicates';
import { type Box, boundsBetween } from '../artefacts/regions.js';
import type { Outline } from './outline.js';

export const MAX_POSITIONS = 2 ** 17;

/** Comparisons of positions with edges for one outline. */
const MAX_COMPARISONS = 20_000_000;

/** Finding two boxes that meet takes as long as this many comparisons. Real outlines have dozens of pairs an edge. */
const PAIR_COMPARISONS = 4;

/**
 * The most pairs of rings that may touch, all of which are kept in memory. A grid of squares with MAX_POSITIONS has
 * fewer, although each square touches eight others. Thousands of rings that meet in one place have millions.
 */
const MAX_TOUCHES = 2 ** 18;

const TOO_INTRICATE = 'the outline is too intricate to be checked: simplify it';

/** Makes the error to throw. @param near the place of the problem as longitude and latitude, if it has one */
type ErrorOfOutline = (problem: string, near?: readonly [number, number]) => Error;

/** Where positions lie, as bits; a position on an edge lies in neither. */
const INSIDE = 1;
const OUTSIDE = 2;

/**
 * Checks that an outline of at most MAX_POSITIONS encloses an unambiguous area. The rules are those of the OGC Simple
 * Features: a ring does not cross or touch itself; rings may touch, but not cross; holes lie inside their polygon and
 * apart from one another, as polygons do.
 * @throws what `errorOf` makes of the first problem, or of an outline that would take too long to check
 */
export function checkOutline({ coordinates, rings }: Outline, errorOf: ErrorOfOutline): void {
  /** The pairs of rings that touch, as `pair` numbers them. */
  const touches = new Set<number>();
  /** The rings of each polygon, the outer one first. */
  const polygons: number[][] = [];
  let comparisons = 0;
  /** A position that the last `placeOf` found INSIDE, if there was one. */
  let inside: readonly [number, number] | undefined;
  const ringBoxes = rings.map(({ start, end }) => boundsBetween(coordinates, start, end));
  /** The edges of each ring that was searched, by the position where they begin. */
  const edgeTrees: Flatbush[] = [];
  for (const [ring, { polygon }] of rings.entries()) {
    polygons[polygon] ??= [];
    polygons[polygon].push(ring);
  }
  checkContacts();
  checkNesting();

  /** Checks that edges meet only where they may. Notes which rings touch. */
  function checkContacts(): void {
    // An edge is the position where it ends.
    const edges = rings.flatMap(({ start, end }, ring) =>
      Array.from({ length: end - start - 1 }, (_, i) => {
        const edge = start + 1 + i;
        return { ring, edge, segment: segmentFrom(edge - 1) };
      }),
    );
    for (const [index, before] of meeting(rings.flatMap(edgeBoxesOf))) {
      const [a, b] = [edges[index], edges[before]];
      const isOneRing = a.ring === b.ring;
      const apart = a.edge - b.edge;
      // The neighbours of an edge share a position with it: the first edge of a ring is a neighbour of its last.
      if (isOneRing && (apart === 1 || apart === rings[a.ring].end - rings[a.ring].start - 2)) continue;
      const contact = contactOf(a.segment, b.segment);
      if (contact === undefined) continue;
      if (isOneRing) throw errorOf('a ring crosses or touches itself', meetingPoint(a.segment, b.segment));
      if (contact === 'cross') throw errorOf('two rings cross', meetingPoint(a.segment, b.segment));
      if (touches.add(pair(a.ring, b.ring)).size > MAX_TOUCHES) throw errorOf(TOO_INTRICATE);
    }
  }

  /** Checks that holes lie inside their polygons and that areas do not overlap. Called after `checkContacts`. */
  function checkNesting(): void {
    for (const [ring, { polygon, isHole }] of rings.entries())
      if (isHole && placeOf(ring, polygons[polygon].slice(0, 1)) !== INSIDE)
        throw errorAt(ring, 'a hole lies outside its polygon');
    for (const [ring, before] of meeting(ringBoxes)) {
      const [a, b] = [rings[ring], rings[before]];
      if (a.isHole && b.isHole && a.polygon === b.polygon && overlap([ring], [before]))
        throw errorAt(ring, 'two holes overlap', inside);
      if (!a.isHole && !b.isHole && overlap(polygons[a.polygon], polygons[b.polygon]))
        throw errorAt(ring, 'two polygons overlap', inside);
    }
  }

  /** The boxes that meet, by index, each pair once: a box and one before it. */
  function* meeting(boxes: readonly Box[]): Generator<readonly [index: number, before: number]> {
    const tree = treeOf(boxes);
    for (const [index, { west, south, east, north }] of boxes.entries()) {
      const isBefore = (other: number) => {
        count(PAIR_COMPARISONS);
        return other < index;
      };
      for (const before of tree.search(west, south, east, north, isBefore)) yield [index, before];
    }
  }

  function count(added: number): void {
    comparisons += added;
    if (comparisons > MAX_COMPARISONS) throw errorOf(TOO_INTRICATE);
  }

  /** @param place near which the problem is; by default the first position of the ring */
  function errorAt(ring: number, problem: string, place?: readonly [number, number]): Error {
    const [longitude, latitude] = coordinates.subarray(2 * rings[ring].start);
    return errorOf(problem, place ?? [longitude, latitude]);
  }

  /** Whether two areas whose boxes meet overlap, each given by its outer ring and its holes. */
  function overlap(a: readonly number[], b: readonly number[]): boolean {
    const place = placeOf(a[0], b);
    // All on edges of b: it fills a hole of b, or is b.
    if (place === 0) return placeOf(a[0], [b[0]]) !== INSIDE;
    return (place & INSIDE) !== 0 || (placeOf(b[0], a) & INSIDE) !== 0;
  }

  /** Where a ring lies in relation to an area that it does not cross: INSIDE, OUTSIDE or, where they touch, a set of them. */
  function placeOf(ring: number, area: readonly number[]): number {
    const { start, end } = rings[ring];
    inside = undefined;
    if (!area.some((other) => touches.has(pair(ring, other))))
      return placeAt(coordinates[2 * start], coordinates[2 * start + 1], area);
    let places = 0;
    for (let position = start; position < end - 1 && places !== (INSIDE | OUTSIDE); position++) {
      const edge = segmentFrom(position);
      const [x1, y1, x2, y2] = edge;
      places |= placeAt(x1, y1, area);
      places |= placeAt((x1 + x2) / 2, (y1 + y2) / 2, area, edge);
    }
    return places;
  }

  /**
   * Where a position lies by the even-odd rule; 0 on an edge.
   * @param edge the edge whose middle the position is; rounding may put it beside the edge
   */
  function placeAt(x: number, y: number, area: readonly number[], edge?: Segment): number {
    let isInside = false;
    for (const ring of area) {
      const { south, east, north } = ringBoxes[ring];
      count(1);
      if (y < south || y > north || x > east) continue;
      edgeTrees[ring] ??= treeOf(edgeBoxesOf(rings[ring]));
      // The edges that a ray to the east meets.
      for (const index of edgeTrees[ring].search(x, y, east, y)) {
        count(PAIR_COMPARISONS);
        const [x1, y1, x2, y2] = segmentFrom(rings[ring].start + index);
        const isAlong =
          edge !== undefined &&
          orient2d(x1, y1, x2, y2, edge[0], edge[1]) === 0 &&
          orient2d(x1, y1, x2, y2, edge[2], edge[3]) === 0;
        const side = isAlong ? 0 : orient2d(x1, y1, x2, y2, x, y);
        if (side === 0 && x >= Math.min(x1, x2) && x <= Math.max(x1, x2)) return 0;
        if (y1 > y !== y2 > y && side > 0 === y1 > y2) isInside = !isInside;
      }
    }
    if (isInside) inside = [x, y];
    return isInside ? INSIDE : OUTSIDE;
  }

  function edgeBoxesOf({ start, end }: Outline['rings'][number]): Box[] {
    return Array.from({ length: end - start - 1 }, (_, i) =>
      boundsBetween(coordinates, start + i, start + i + 2),
    );
  }

  /** The edge that begins at a position. */
  function segmentFrom(position: number): Segment {
    const at = 2 * position;
    return [coordinates[at], coordinates[at + 1], coordinates[at + 2], coordinates[at + 3]];
  }

  function pair(a: number, b: number): number {
    return Math.min(a, b) * rings.length + Math.max(a, b);
  }
}

function treeOf(boxes: readonly Box[]): Flatbush {
  const tree = new Flatbush(boxes.length);
  for (const { west, south, east, north } of boxes) tree.add(west, south, east, north);
  tree.finish();
  return tree;
}

/** A segment from its first position to its last. */
type Segment = readonly [x1: number, y1: number, x2: number, y2: number];

/** Where two segments meet, about: the crossing of their lines, or the middle of what they share. */
function meetingPoint([ax, ay, ax2, ay2]: Segment, [bx, by, bx2, by2]: Segment): [number, number] {
  const [dx, dy] = [ax2 - ax, ay2 - ay];
  const [ex, ey] = [bx2 - bx, by2 - by];
  const cross = dx * ey - dy * ex;
  if (cross === 0) return [bx2, by2];
  const along = ((bx - ax) * ey - (by - ay) * ex) / cross;
  return [ax + along * dx, ay + along * dy];
}

/**
 * How two segments with overlapping boxes meet: they cross where each passes from one side of the other to its other
 * side, and touch in any other common position. Exact: segments on one line meet where their boxes do.
 */
function contactOf(a: Segment, b: Segment): 'cross' | 'touch' | undefined {
  const ofA = sidesOf(a, b);
  if (ofA > 0) return undefined;
  const ofB = sidesOf(b, a);
  if (ofB > 0) return undefined;
  return ofA < 0 && ofB < 0 ? 'cross' : 'touch';
}

/** 1 where both ends of a segment lie on one side of the line through another, -1 on different sides, 0 if one is on it. */
function sidesOf([x1, y1, x2, y2]: Segment, [ax, ay, bx, by]: Segment): number {
  return Math.sign(orient2d(ax, ay, bx, by, x1, y1)) * Math.sign(orient2d(ax, ay, bx, by, x2, y2));
}
