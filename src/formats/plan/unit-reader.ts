import { checkOutline, MAX_POSITIONS } from '../../prediction/units/check-outline.js';
import type { Outline, Ring } from '../../prediction/units/outline.js';
import { ApiError } from '../errors/api-error.js';
import { SHOWN_ELEMENTS, show } from '../errors/shown-value.js';
import { type Issue, isObject, issueError, issuesError } from '../request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../request/schemas.js';

export type UnitId = string | number;

/** A GeoJSON feature with an id of its own. */
export interface UnitFeature {
  readonly id: UnitId;
  readonly type?: unknown;
  readonly geometry?: unknown;
}

export const MAX_ID_BYTES = 4096;

/** The most numbers of a position; GeoJSON recommends at most three. */
const MAX_NUMBERS = 10;

/** A ring of GeoJSON repeats its first position at the end. */
const MIN_POSITIONS = 4;

/** An edge that spans this many degrees of longitude is shorter around the other side of the earth. */
const MAX_EDGE_DEGREES = 180;

/** The end of the names of coordinate systems whose degrees are those of WGS 84 to within two metres. */
const WGS_84 = /(^|\W)(CRS8[34]h?|4326|4979|4269|4152|4759|6318|(GCS_)?WGS[ _]?(19)?84)$/i;

/** Degrees of longitude and latitude are below this; coordinates in metres or feet usually are not. */
const MAX_DEGREES = 360;

/** Decimals of degrees in messages and of centroids: about a metre. */
export const PLACE_DECIMALS = 5;

const wrong = (path: string, rule: string, value: unknown): Issue => ({
  path,
  message: `${path} must be ${rule}, not ${show(value)}`,
});

/** The issue of a value that is not a FeatureCollection in WGS 84; undefined if it is one. */
export function collectionIssue(units: unknown): Issue | undefined {
  if (!isObject(units)) return wrong('units', 'a GeoJSON FeatureCollection', units);
  const { type, features, crs } = units;
  if (type !== 'FeatureCollection') return wrong('units.type', '"FeatureCollection"', type);
  if (!Array.isArray(features)) return wrong('units.features', 'an array', features);
  const { name, code } = Object(Object(crs).properties); // RFC 7946 removed the member
  const system = typeof crs === 'string' ? crs : (code ?? name);
  if (!system || typeof system === 'object' || WGS_84.test(String(system).trim())) return undefined;
  return wrong('units.crs', 'WGS 84 (convert the units to EPSG:4326)', system);
}

/** Checks the ids of features. @throws ApiError with the first few that are missing, invalid or repeated */
export function readFeatures(list: readonly unknown[]): readonly UnitFeature[] {
  const issues: Issue[] = [];
  const seen = new Map<unknown, number>();
  for (const [index, feature] of list.entries()) {
    const path = `units.features.${index}`;
    if (!isObject(feature)) {
      issues.push(wrong(path, 'a GeoJSON Feature', feature));
      continue;
    }
    const problem = idProblem(feature.id, seen);
    if (problem === undefined) seen.set(feature.id, index);
    else issues.push({ path: `${path}.id`, message: `${path}.id ${problem}` });
  }
  if (issues.length > 0) throw new ApiError(issuesError(issues.slice(0, SHOWN_ELEMENTS)));
  return list as readonly UnitFeature[];
}

/** The problem with the id of a feature; undefined if there is none. @param seen the features before it by their ids */
function idProblem(id: unknown, seen: ReadonlyMap<unknown, number>): string | undefined {
  if (typeof id !== 'string' && !Number.isFinite(id))
    return `must be a string or a finite number, not ${show(id)}`;
  if (Number.isInteger(id) && !Number.isSafeInteger(id))
    return `is an integer beyond ${Number.MAX_SAFE_INTEGER}, where JSON parsers round: send it as a string`;
  if (typeof id === 'string' && Buffer.byteLength(JSON.stringify(id)) > MAX_ID_BYTES)
    return `must have at most ${MAX_ID_BYTES} bytes as JSON`;
  const first = seen.get(id);
  if (first === undefined) return undefined;
  return `must be unique, but ${show(id)} is also the id of units.features.${first}`;
}

export function unitError(path: string, message: string): ApiError {
  return issueError(path, message, 'unit');
}

const wrongUnit = (path: string, rule: string, value: unknown) =>
  unitError(path, wrong(path, rule, value).message);

/** Reads the outline of a unit, without positions that equal the one before. @throws ApiError if it is not valid */
export function readOutline({ type, geometry }: UnitFeature): Outline {
  if (type !== 'Feature') throw wrongUnit('type', '"Feature"', type);
  if (!isObject(geometry)) throw wrongUnit('geometry', 'a Polygon or MultiPolygon', geometry);
  const { type: kind, coordinates } = geometry;
  if (kind !== 'Polygon' && kind !== 'MultiPolygon')
    throw wrongUnit('geometry.type', '"Polygon" or "MultiPolygon"', kind);
  const path = 'geometry.coordinates';
  if (coordinates === undefined) throw unitError(path, `${path} is missing`);
  const polygons = kind === 'Polygon' ? [coordinates] : arrayOf(coordinates, path, 'polygons');
  if (polygons.length === 0) throw unitError(path, `${path} is empty`);
  const positions: number[] = [];
  const rings: Ring[] = [];
  for (const [polygon, value] of polygons.entries()) {
    const polygonPath = kind === 'Polygon' ? path : `${path}.${polygon}`;
    const list = arrayOf(value, polygonPath, 'rings');
    if (list.length === 0)
      throw unitError(polygonPath, `${polygonPath} is empty: a polygon has at least one ring`);
    for (const [index, ring] of list.entries()) {
      const start = positions.length / 2;
      readRing(ring, `${polygonPath}.${index}`, positions);
      rings.push({ start, end: positions.length / 2, polygon, isHole: index > 0 });
    }
  }
  const outline = { coordinates: Float64Array.from(positions), rings };
  checkOutline(outline, (problem, near) => unitError('geometry', problem + repairAdvice(near)));
  return outline;
}

function readRing(positions: unknown, path: string, coordinates: number[]): void {
  const start = coordinates.length;
  const list = arrayOf(positions, path, 'positions');
  let [lastLongitude, lastLatitude] = [Number.NaN, Number.NaN];
  for (let index = 0; index < list.length; index++) {
    const position = list[index];
    if (!isPosition(position)) throw positionError(`${path}.${index}`, position);
    const [longitude, latitude] = position;
    if (Math.abs(longitude) > MAX_LONGITUDE || Math.abs(latitude) > MAX_LATITUDE)
      throw rangeError(`${path}.${index}`, longitude, latitude);
    if (Math.abs(longitude - lastLongitude) >= MAX_EDGE_DEGREES)
      throw widthError(`${path}.${index}`, lastLongitude, longitude);
    if (longitude === lastLongitude && latitude === lastLatitude) continue;
    coordinates.push(longitude, latitude);
    if (coordinates.length > 2 * MAX_POSITIONS)
      throw unitError('geometry', `the outline has more than ${MAX_POSITIONS} positions: simplify it`);
    [lastLongitude, lastLatitude] = [longitude, latitude];
  }
  const ring = `the ring ${path}`;
  if (list.length < MIN_POSITIONS) {
    const rule = `must have at least ${MIN_POSITIONS} positions, the last equal to the first`;
    throw unitError(path, `${ring} ${rule}, not ${list.length}`);
  }
  const [longitude, latitude] = list[0] as readonly number[];
  if (longitude !== lastLongitude || latitude !== lastLatitude) {
    const rule = `its last position must equal its first, [${longitude}, ${latitude}]`;
    throw unitError(path, `${ring} is not closed: ${rule}, but is [${lastLongitude}, ${lastLatitude}]`);
  }
  if (coordinates.length - start < 2 * MIN_POSITIONS) throw unitError(path, `${ring} encloses no area`);
}

function arrayOf(value: unknown, path: string, elements: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongUnit(path, `an array of ${elements}`, value);
  return value;
}

/** Whether a value begins with two numbers; a third one, the height, may be anything. */
function isPosition(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_NUMBERS &&
    typeof value[0] === 'number' &&
    typeof value[1] === 'number'
  );
}

function positionError(path: string, position: unknown): ApiError {
  const isShort = Array.isArray(position) && position.length <= MAX_NUMBERS;
  const shown = isShort ? `[${position.map((value) => show(value)).join(', ')}]` : show(position);
  return unitError(path, `${path} must be [longitude, latitude] in numbers, not ${shown}`);
}

/** The shape inside such an edge is ambiguous: points lie along its straight line, its area along the shorter way. */
function widthError(path: string, from: number, to: number): ApiError {
  const edge = `the one to ${path} goes from ${from} to ${to}`;
  const advice = 'check the signs, and divide a polygon that crosses the antimeridian there';
  return unitError(
    path,
    `an edge must span less than ${MAX_EDGE_DEGREES} degrees of longitude, but ${edge}: ${advice}`,
  );
}

/** The error of a position that is not on earth, with the probable mistake. */
function rangeError(path: string, longitude: number, latitude: number): ApiError {
  const [east, north] = [Math.abs(longitude), Math.abs(latitude)];
  const limits = `longitude must be from -${MAX_LONGITUDE} to ${MAX_LONGITUDE}, latitude from -${MAX_LATITUDE} to ${MAX_LATITUDE}`;
  let hint = '';
  if (east > MAX_DEGREES || north > MAX_DEGREES)
    hint = '; the coordinates look projected, in metres or feet: convert them to WGS 84 (EPSG:4326) degrees';
  else if (east <= MAX_LATITUDE && north <= MAX_LONGITUDE)
    hint = '; it looks as if they are swapped: GeoJSON puts the longitude first';
  return unitError(path, `${path} is [${longitude}, ${latitude}], but ${limits}${hint}`);
}

/** What follows the problem of an outline that has a place. */
function repairAdvice(near: readonly number[] | undefined): string {
  if (near === undefined) return '';
  const [longitude, latitude] = near.map((degrees) => degrees.toFixed(PLACE_DECIMALS));
  const advice = 'repair the geometry, for example with the tool of a GIS that fixes geometries';
  return ` near longitude ${longitude}, latitude ${latitude}: ${advice}`;
}
