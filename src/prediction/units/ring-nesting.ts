import { orient2d } from 'robust-predicates';
import type { Box } from '../artefacts/regions.js';
import { boundsBetween, type Outline } from './outline.js';

/** Where positions lie, as bits; a position on an edge lies in neither. */
const INSIDE = 1;
const OUTSIDE = 2;

/** Thrown where there are too many comparisons. */
const TOO_INTRICATE = new Error('too intricate');

export interface NestingProblem {
  readonly kind: 'hole outside its polygon' | 'holes overlap' | 'polygons overlap';
  /** The ring that lies where it must not. */
  readonly ring: number;
}

/** Tests which ring of an outline lies in which; the rings may touch, but do not cross. */
export class RingNesting {
  readonly #touches = new Set<number>();
  readonly #bounds: readonly Box[];
  /** The rings of each polygon, the outer one first. */
  readonly #polygons: number[][] = [];
  #comparisons = 0;
  #maxComparisons = Number.POSITIVE_INFINITY;

  constructor(private readonly outline: Outline) {
    this.#bounds = outline.rings.map(({ start, end }) => boundsBetween(outline.coordinates, start, end));
    outline.rings.forEach(({ polygon }, ring) => {
      this.#polygons[polygon] ??= [];
      this.#polygons[polygon].push(ring);
    });
  }

  /** Notes that two rings touch. @returns how many pairs do so far */
  addTouch(a: number, b: number): number {
    return this.#touches.add(this.#pair(a, b)).size;
  }

  /**
   * The first ring that lies where it must not.
   * @param maxComparisons of rings with rings, and of positions with edges
   * @returns 'too intricate' where it takes more
   */
  problem(maxComparisons: number): NestingProblem | 'too intricate' | undefined {
    this.#maxComparisons = maxComparisons;
    try {
      return this.#search();
    } catch (error) {
      if (error === TOO_INTRICATE) return 'too intricate';
      throw error;
    }
  }

  #search(): NestingProblem | undefined {
    for (const [p, polygon] of this.#polygons.entries()) {
      const [outer, ...holes] = polygon;
      for (const [h, hole] of holes.entries()) {
        if (this.#placeOf(hole, [outer]) !== INSIDE) return { kind: 'hole outside its polygon', ring: hole };
        for (let other = 0; other < h; other++)
          if (this.#overlap([hole], [holes[other]])) return { kind: 'holes overlap', ring: hole };
      }
      for (let other = 0; other < p; other++)
        if (this.#overlap(polygon, this.#polygons[other])) return { kind: 'polygons overlap', ring: outer };
    }
    return undefined;
  }

  #count(comparisons: number): void {
    this.#comparisons += comparisons;
    if (this.#comparisons > this.#maxComparisons) throw TOO_INTRICATE;
  }

  /** Whether two areas overlap, each given by its outer ring and its holes. */
  #overlap(a: readonly number[], b: readonly number[]): boolean {
    this.#count(1);
    const [boundsA, boundsB] = [this.#bounds[a[0]], this.#bounds[b[0]]];
    if (boundsA.west > boundsB.east || boundsB.west > boundsA.east) return false;
    if (boundsA.south > boundsB.north || boundsB.south > boundsA.north) return false;
    const place = this.#placeOf(a[0], b);
    // All on edges of b: it fills a hole of b, or is b.
    if (place === 0) return this.#placeOf(a[0], [b[0]]) !== INSIDE;
    return (place & INSIDE) !== 0 || (this.#placeOf(b[0], a) & INSIDE) !== 0;
  }

  /** Where a ring lies in relation to an area that it does not cross: INSIDE, OUTSIDE or, where they touch, a set of them. */
  #placeOf(ring: number, area: readonly number[]): number {
    const { coordinates, rings } = this.outline;
    const { start, end } = rings[ring];
    if (!area.some((other) => this.#touches.has(this.#pair(ring, other))))
      return this.#placeAt(coordinates[2 * start], coordinates[2 * start + 1], area);
    let places = 0;
    for (let at = 2 * start; at < 2 * end - 2 && places !== (INSIDE | OUTSIDE); at += 2) {
      const [x1, y1, x2, y2] = coordinates.subarray(at, at + 4);
      places |= this.#placeAt(x1, y1, area);
      places |= this.#placeAt((x1 + x2) / 2, (y1 + y2) / 2, area, [x1, y1, x2, y2]);
    }
    return places;
  }

  /**
   * Where a position lies by the even-odd rule; 0 on an edge.
   * @param edge of which the position is the middle, as `x1, y1, x2, y2`: rounded, that is not on the edge itself
   */
  #placeAt(x: number, y: number, area: readonly number[], edge?: readonly number[]): number {
    const { coordinates, rings } = this.outline;
    let isInside = false;
    for (const ring of area) {
      const { start, end } = rings[ring];
      this.#count(end - start);
      for (let at = 2 * start; at < 2 * end - 2; at += 2) {
        const y1 = coordinates[at + 1];
        const y2 = coordinates[at + 3];
        if ((y1 > y && y2 > y) || (y1 < y && y2 < y)) continue;
        const x1 = coordinates[at];
        const x2 = coordinates[at + 2];
        const isAlong =
          edge !== undefined &&
          orient2d(x1, y1, x2, y2, edge[0], edge[1]) === 0 &&
          orient2d(x1, y1, x2, y2, edge[2], edge[3]) === 0;
        const side = isAlong ? 0 : orient2d(x1, y1, x2, y2, x, y);
        if (side === 0 && x >= Math.min(x1, x2) && x <= Math.max(x1, x2)) return 0;
        // The edge passes the ray to the east.
        if (y1 > y !== y2 > y && side > 0 === y1 > y2) isInside = !isInside;
      }
    }
    return isInside ? INSIDE : OUTSIDE;
  }

  #pair(a: number, b: number): number {
    return Math.min(a, b) * this.outline.rings.length + Math.max(a, b);
  }
}
