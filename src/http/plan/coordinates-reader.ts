import type { Outline, Ring } from '../../prediction/units/outline.js';
import { MAX_POSITIONS } from '../../prediction/units/outline-problem.js';
import { CLOSE_ARRAY, COMMA, numberAt, OPEN_ARRAY, QUOTE, skipSpace, valueEnd } from '../request/json.js';
import type { Issue } from '../request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../request/schemas.js';
import { shownAt } from './shown-at.js';

/** Numbers of a position beyond longitude and latitude; GeoJSON wants at most one. */
const MAX_OTHER_NUMBERS = 8;

/** Of a coordinate. */
const MAX_NUMBER_BYTES = 1024;

/** What GeoJSON asks for: the first position again at the end. */
const MIN_POSITIONS = 4;

/** Positions between two pauses: some milliseconds. */
const POSITIONS_PER_PAUSE = 10_000;

/** Longitudes that an edge must not span: beyond, its shorter way is the one around the other side of the earth. */
const MAX_EDGE_DEGREES = 180;

/** Degrees of longitude and latitude are below this; coordinates in metres or feet mostly are not. */
const MAX_DEGREES = 360;

/** Reads the coordinates of a Polygon or MultiPolygon from bytes whose grammar was checked. */
export class CoordinatesReader {
  #coordinates = new Float64Array(64);
  #count = 0;
  readonly #rings: Ring[] = [];
  #at: number;
  /** The position that was read last. */
  #longitude = 0;
  #latitude = 0;

  /**
   * @param start of the array
   * @param endOf returns the offset after a value, which may be long
   */
  constructor(
    private readonly bytes: Buffer,
    start: number,
    private readonly endOf: (bytes: Buffer, start: number) => number,
  ) {
    this.#at = start;
  }

  /** @returns the outline, without positions that equal the one before, or what is wrong with it */
  *read(type: 'Polygon' | 'MultiPolygon'): Generator<undefined, Outline | Issue> {
    const path = 'geometry.coordinates';
    const issue =
      type === 'Polygon'
        ? yield* this.#polygon(path, 0)
        : yield* this.#elements(path, 'an array of polygons', (at, polygon) => this.#polygon(at, polygon));
    if (issue !== undefined) return issue;
    if (this.#rings.length === 0) return { path, message: 'geometry.coordinates is empty' };
    return { coordinates: this.#coordinates.slice(0, 2 * this.#count), rings: this.#rings };
  }

  *#polygon(path: string, polygon: number): Generator<undefined, Issue | undefined> {
    const rings = this.#rings.length;
    const issue = yield* this.#elements(path, 'an array of rings', (at, ring) =>
      this.#ring(at, polygon, ring > 0),
    );
    if (issue !== undefined) return issue;
    return this.#rings.length > rings
      ? undefined
      : { path, message: `${path} is empty: a polygon has at least one ring` };
  }

  *#ring(path: string, polygon: number, isHole: boolean): Generator<undefined, Issue | undefined> {
    const start = this.#count;
    let first: readonly [longitude: number, latitude: number] = [0, 0];
    let positions = 0;
    if (!this.#opens()) return this.#notArray(path, 'an array of positions');
    for (; this.#hasNext(); positions++) {
      const at = this.#at;
      if (!this.#readPosition()) return this.#positionIssue(`${path}.${positions}`, at);
      if (positions === 0) first = [this.#longitude, this.#latitude];
      else if (this.#isTooWide()) return this.#widthIssue(`${path}.${positions}`);
      if (positions === 0 || !this.#isLast(this.#longitude, this.#latitude)) this.#append();
      if (this.#count > MAX_POSITIONS) {
        const message = `the outline has more than ${MAX_POSITIONS} positions: simplify it`;
        return { path: 'geometry', message };
      }
      if (positions % POSITIONS_PER_PAUSE === POSITIONS_PER_PAUSE - 1) yield;
    }
    if (positions < MIN_POSITIONS) {
      const message = `the ring ${path} must have at least ${MIN_POSITIONS} positions, the last equal to the first, not ${positions}`;
      return { path, message };
    }
    if (!this.#isLast(...first)) {
      const last = [this.#longitude, this.#latitude];
      const message = `the ring ${path} is not closed: its last position must equal its first, [${first.join(', ')}], but is [${last.join(', ')}]`;
      return { path, message };
    }
    if (this.#count - start < MIN_POSITIONS) return { path, message: `the ring ${path} encloses no area` };
    this.#rings.push({ start, end: this.#count, polygon, isHole });
    return undefined;
  }

  /** Reads a position, of which a third number, its height, does not matter. @returns whether it is one */
  #readPosition(): boolean {
    const { bytes } = this;
    if (bytes[this.#at] !== OPEN_ARRAY) return false;
    let at = skipSpace(bytes, this.#at + 1);
    if (bytes[at] === CLOSE_ARRAY) return false;
    if (bytes[at] === QUOTE) return false;
    let end = valueEnd(bytes, at);
    this.#longitude = this.#coordinateAt(at, end);
    if (Number.isNaN(this.#longitude)) return false;
    at = skipSpace(bytes, end);
    if (bytes[at] !== COMMA) return false;
    at = skipSpace(bytes, at + 1);
    if (bytes[at] === QUOTE) return false;
    end = valueEnd(bytes, at);
    this.#latitude = this.#coordinateAt(at, end);
    if (Number.isNaN(this.#latitude)) return false;
    at = skipSpace(bytes, end);
    for (let others = 0; bytes[at] === COMMA; others++) {
      if (others === MAX_OTHER_NUMBERS) return false;
      at = skipSpace(bytes, this.endOf(bytes, skipSpace(bytes, at + 1)));
    }
    this.#at = at + 1;
    return Math.abs(this.#longitude) <= MAX_LONGITUDE && Math.abs(this.#latitude) <= MAX_LATITUDE;
  }

  /** A number, which may not be so long that it takes long to read; NaN for anything else. */
  #coordinateAt(start: number, end: number): number {
    return end - start > MAX_NUMBER_BYTES ? Number.NaN : numberAt(this.bytes, start);
  }

  /** What is wrong with the position that was read last, which starts at an offset. */
  #positionIssue(path: string, start: number): Issue {
    if (this.#at !== start) return { path, message: placeMessage(path, this.#longitude, this.#latitude) };
    const value = shownAt(this.bytes, start);
    return { path, message: `${path} must be [longitude, latitude] in numbers, not ${value}` };
  }

  #isLast(longitude: number, latitude: number): boolean {
    const at = 2 * this.#count - 2;
    return this.#coordinates[at] === longitude && this.#coordinates[at + 1] === latitude;
  }

  /**
   * Whether the edge to the position that was read last spans half the earth or more: the points inside would be those along
   * its straight line, the area that of the shorter way, across the antimeridian.
   */
  #isTooWide(): boolean {
    return Math.abs(this.#longitude - this.#coordinates[2 * this.#count - 2]) >= MAX_EDGE_DEGREES;
  }

  #widthIssue(path: string): Issue {
    const from = this.#coordinates[2 * this.#count - 2];
    const message =
      `an edge must span less than ${MAX_EDGE_DEGREES} degrees of longitude, but the one to ${path} goes from ${from} to ${this.#longitude}: ` +
      'check the signs, and divide a polygon that crosses the antimeridian there';
    return { path, message };
  }

  #append(): void {
    if (2 * this.#count === this.#coordinates.length) {
      const larger = new Float64Array(2 * this.#coordinates.length);
      larger.set(this.#coordinates);
      this.#coordinates = larger;
    }
    this.#coordinates[2 * this.#count] = this.#longitude;
    this.#coordinates[2 * this.#count + 1] = this.#latitude;
    this.#count++;
  }

  /** Reads an array, each of whose elements `read` takes to its end. */
  *#elements(
    path: string,
    kind: string,
    read: (path: string, index: number) => Generator<undefined, Issue | undefined>,
  ): Generator<undefined, Issue | undefined> {
    if (!this.#opens()) return this.#notArray(path, kind);
    for (let index = 0; this.#hasNext(); index++) {
      const issue = yield* read(`${path}.${index}`, index);
      if (issue !== undefined) return issue;
      if (index % POSITIONS_PER_PAUSE === POSITIONS_PER_PAUSE - 1) yield;
    }
    return undefined;
  }

  /** Whether an array starts here; passes its bracket. */
  #opens(): boolean {
    if (this.bytes[this.#at] !== OPEN_ARRAY) return false;
    this.#at++;
    return true;
  }

  /** Whether the array that was opened, of which whole elements were read, has one more; passes the comma or bracket. */
  #hasNext(): boolean {
    this.#at = skipSpace(this.bytes, this.#at);
    const byte = this.bytes[this.#at];
    if (byte === CLOSE_ARRAY || byte === COMMA) this.#at = skipSpace(this.bytes, this.#at + 1);
    return byte !== CLOSE_ARRAY;
  }

  #notArray(path: string, kind: string): Issue {
    return { path, message: `${path} must be ${kind}, not ${shownAt(this.bytes, this.#at)}` };
  }
}

/** What is wrong with a position that is nowhere, and what it probably is. */
function placeMessage(path: string, longitude: number, latitude: number): string {
  const [east, north] = [Math.abs(longitude), Math.abs(latitude)];
  const rule =
    `${path} is [${longitude}, ${latitude}], but longitude must be from -${MAX_LONGITUDE} to ${MAX_LONGITUDE}, ` +
    `latitude from -${MAX_LATITUDE} to ${MAX_LATITUDE}`;
  if (east > MAX_DEGREES || north > MAX_DEGREES) {
    return `${rule}; the coordinates look projected, in metres or feet: convert them to WGS 84 (EPSG:4326) degrees`;
  }
  if (east <= MAX_LATITUDE && north <= MAX_LONGITUDE)
    return `${rule}; it looks as if they are swapped: GeoJSON puts the longitude first`;
  return rule;
}
