import { show } from '../../prediction/errors/shown-value.js';
import type { Outline, Ring } from '../../prediction/units/outline.js';
import { MAX_POSITIONS } from '../../prediction/units/outline-problem.js';
import type { Issue } from '../request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../request/schemas.js';

/** Numbers of a position beyond longitude and latitude; GeoJSON wants at most one. */
const MAX_OTHER_NUMBERS = 8;

/** A ring of GeoJSON repeats its first position at the end. */
const MIN_POSITIONS = 4;

/** An edge that spans this many degrees of longitude is shorter around the other side of the earth. */
const MAX_EDGE_DEGREES = 180;

/** Degrees of longitude and latitude are below this; coordinates in metres or feet mostly are not. */
const MAX_DEGREES = 360;

/**
 * Reads the coordinates of a Polygon or MultiPolygon.
 * @returns the outline, without positions that equal the one before, or what is wrong with it
 */
export function readOutline(type: 'Polygon' | 'MultiPolygon', coordinates: unknown): Outline | Issue {
  return new OutlineReader().read(type, coordinates);
}

class OutlineReader {
  readonly #coordinates: number[] = [];
  readonly #rings: Ring[] = [];

  read(type: 'Polygon' | 'MultiPolygon', coordinates: unknown): Outline | Issue {
    const path = 'geometry.coordinates';
    const issue =
      type === 'Polygon'
        ? this.#polygon(coordinates, path, 0)
        : eachElement(coordinates, path, 'an array of polygons', (polygon, index) =>
            this.#polygon(polygon, `${path}.${index}`, index),
          );
    if (issue !== undefined) return issue;
    if (this.#rings.length === 0) return { path, message: 'geometry.coordinates is empty' };
    return { coordinates: Float64Array.from(this.#coordinates), rings: this.#rings };
  }

  get #count(): number {
    return this.#coordinates.length / 2;
  }

  #polygon(rings: unknown, path: string, polygon: number): Issue | undefined {
    const before = this.#rings.length;
    const issue = eachElement(rings, path, 'an array of rings', (ring, index) =>
      this.#ring(ring, `${path}.${index}`, polygon, index > 0),
    );
    if (issue !== undefined || this.#rings.length > before) return issue;
    return { path, message: `${path} is empty: a polygon has at least one ring` };
  }

  #ring(positions: unknown, path: string, polygon: number, isHole: boolean): Issue | undefined {
    const start = this.#count;
    const issue = eachElement(positions, path, 'an array of positions', (position, index) =>
      this.#position(position, path, index),
    );
    if (issue !== undefined) return issue;
    const all = positions as readonly (readonly number[])[];
    if (all.length < MIN_POSITIONS) {
      const message = `the ring ${path} must have at least ${MIN_POSITIONS} positions, the last equal to the first, not ${all.length}`;
      return { path, message };
    }
    const [first, last] = [all[0].slice(0, 2), all[all.length - 1].slice(0, 2)];
    if (first[0] !== last[0] || first[1] !== last[1]) {
      const message = `the ring ${path} is not closed: its last position must equal its first, [${first.join(', ')}], but is [${last.join(', ')}]`;
      return { path, message };
    }
    if (this.#count - start < MIN_POSITIONS) return { path, message: `the ring ${path} encloses no area` };
    this.#rings.push({ start, end: this.#count, polygon, isHole });
    return undefined;
  }

  /** Appends a position that differs from the one before. */
  #position(position: unknown, ring: string, index: number): Issue | undefined {
    const at = (message: (path: string) => string): Issue => {
      const path = `${ring}.${index}`;
      return { path, message: message(path) };
    };
    if (!isPosition(position))
      return at((path) => `${path} must be [longitude, latitude] in numbers, not ${show(position)}`);
    const [longitude, latitude] = position;
    if (Math.abs(longitude) > MAX_LONGITUDE || Math.abs(latitude) > MAX_LATITUDE)
      return at((path) => placeMessage(path, longitude, latitude));
    const length = this.#coordinates.length;
    const [lastLongitude, lastLatitude] = [this.#coordinates[length - 2], this.#coordinates[length - 1]];
    if (index > 0 && Math.abs(longitude - lastLongitude) >= MAX_EDGE_DEGREES)
      return at((path) => widthMessage(path, lastLongitude, longitude));
    if (index === 0 || longitude !== lastLongitude || latitude !== lastLatitude)
      this.#coordinates.push(longitude, latitude);
    if (this.#count <= MAX_POSITIONS) return undefined;
    return { path: 'geometry', message: `the outline has more than ${MAX_POSITIONS} positions: simplify it` };
  }
}

/** Calls `read` for each element of an array until one has an issue. */
function eachElement(
  array: unknown,
  path: string,
  kind: string,
  read: (element: unknown, index: number) => Issue | undefined,
): Issue | undefined {
  if (!Array.isArray(array)) return { path, message: `${path} must be ${kind}, not ${show(array)}` };
  for (let index = 0; index < array.length; index++) {
    const issue = read(array[index], index);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

/** Whether a value begins with two numbers; a third one, the height, may be anything. */
function isPosition(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length <= 2 + MAX_OTHER_NUMBERS &&
    typeof value[0] === 'number' &&
    typeof value[1] === 'number'
  );
}

/** The shape inside such an edge is ambiguous: points lie along its straight line, its area along the shorter way. */
function widthMessage(path: string, from: number, to: number): string {
  return (
    `an edge must span less than ${MAX_EDGE_DEGREES} degrees of longitude, but the one to ${path} goes from ${from} to ${to}: ` +
    'check the signs, and divide a polygon that crosses the antimeridian there'
  );
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
