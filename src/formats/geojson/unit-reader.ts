import type { ErrorObject } from '../../prediction/errors/api-error.js';
import { SHOWN_ELEMENTS, show } from '../../prediction/errors/shown-value.js';
import type { Outline } from '../../prediction/units/outline.js';
import { type OutlineProblem, outlineProblem } from '../../prediction/units/outline-problem.js';
import type { Issue } from '../request/request-errors.js';
import { readOutline } from './outline-reader.js';

export type UnitId = string | number;

/** A feature of the request. */
export interface UnitFeature {
  readonly id: UnitId;
  readonly feature: GeoJson;
}

/** The features of a request. */
export interface UnitFeatures {
  readonly features: readonly UnitFeature[];
  /** How many there are; beyond the limit they are only counted. */
  readonly total: number;
  /** What is wrong with the first few that have no id of their own. */
  readonly issues: readonly Issue[];
}

/** A GeoJSON object as parsed. */
type GeoJson = Readonly<Partial<Record<'type' | 'features' | 'id' | 'geometry' | 'coordinates', unknown>>>;

/** Most bytes of an id as JSON. */
const MAX_ID_BYTES = 4096;

/** Digits of a place in a message: metres. */
const PLACE_DECIMALS = 5;

const CROSSING: Readonly<Record<Exclude<OutlineProblem['kind'], 'too intricate'>, string>> = {
  'ring meets itself': 'a ring crosses or touches itself',
  'rings cross': 'two rings cross',
  'hole outside its polygon': 'a hole lies outside its polygon',
  'holes overlap': 'two holes overlap',
  'polygons overlap': 'two polygons overlap',
};

/**
 * Reads the features of a FeatureCollection and their ids, or says what is wrong with the collection.
 * @param limit of features to read
 */
export function readFeatures(units: unknown, limit: number): UnitFeatures | Issue {
  const wrong = (path: string, rule: string, value: unknown): Issue => ({
    path,
    message: `${path} must be ${rule}, not ${show(value)}`,
  });
  if (!isObject(units)) return wrong('units', 'a GeoJSON FeatureCollection', units);
  const { type, features: list } = units;
  if (type !== 'FeatureCollection') return wrong('units.type', '"FeatureCollection"', type);
  if (!Array.isArray(list)) return wrong('units.features', 'an array', list);
  const features: UnitFeature[] = [];
  const issues: Issue[] = [];
  const seen = new Map<UnitId, number>();
  list.slice(0, limit).forEach((feature: unknown, index) => {
    const path = `units.features.${index}`;
    if (!isObject(feature)) {
      issues.push(wrong(path, 'a GeoJSON Feature', feature));
      return;
    }
    const { id } = feature;
    const problem = idProblem(id, seen);
    if (problem !== undefined) issues.push({ path: `${path}.id`, message: `${path}.id ${problem}` });
    else {
      seen.set(id as UnitId, index);
      features.push({ id: id as UnitId, feature });
    }
  });
  return { features, total: list.length, issues: issues.slice(0, SHOWN_ELEMENTS) };
}

/** Reads the outline of a feature. @returns it, or what is wrong with the feature */
export function outlineOf({ feature }: UnitFeature): Outline | ErrorObject {
  const wrong = (path: string, rule: string, value: unknown) =>
    unitError(path, `${path} must be ${rule}, not ${show(value)}`);
  const { type, geometry } = feature;
  if (type !== 'Feature') return wrong('type', '"Feature"', type);
  if (!isObject(geometry)) return wrong('geometry', 'a Polygon or MultiPolygon', geometry);
  const { type: kind, coordinates } = geometry;
  if (kind !== 'Polygon' && kind !== 'MultiPolygon')
    return wrong('geometry.type', '"Polygon" or "MultiPolygon"', kind);
  if (coordinates === undefined) return unitError('geometry.coordinates', 'geometry.coordinates is missing');
  const outline = readOutline(kind, coordinates);
  if ('message' in outline) return unitError(outline.path, outline.message);
  const problem = outlineProblem(outline);
  return problem === undefined ? outline : unitError('geometry', problemMessage(problem));
}

function isObject(value: unknown): value is GeoJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong with the id of a feature, if anything. @param seen the features before it by their ids */
function idProblem(id: unknown, seen: ReadonlyMap<UnitId, number>): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number')
    return `must be a string or a number, not ${show(id)}`;
  if (typeof id === 'number' && !Number.isFinite(id)) return `must be a finite number, not ${show(id)}`;
  if (typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id))
    return `is an integer beyond ${Number.MAX_SAFE_INTEGER}, where JSON parsers round: send it as a string`;
  if (typeof id === 'string' && Buffer.byteLength(JSON.stringify(id)) > MAX_ID_BYTES)
    return `must have at most ${MAX_ID_BYTES} bytes as JSON`;
  const first = seen.get(id);
  if (first === undefined) return undefined;
  return `must be unique, but ${show(id)} is also the id of units.features.${first}`;
}

/** The error of a unit. */
export function unitError(path: string, message: string): ErrorObject {
  return {
    code: 'invalid_request',
    message: `The unit is not valid: ${message}.`,
    details: { issues: [{ path, message }] },
  };
}

function problemMessage(problem: OutlineProblem): string {
  if (problem.kind === 'too intricate') return 'the outline is too intricate to be checked: simplify it';
  const place = `longitude ${problem.longitude.toFixed(PLACE_DECIMALS)}, latitude ${problem.latitude.toFixed(PLACE_DECIMALS)}`;
  return `${CROSSING[problem.kind]} near ${place}: repair the geometry, for example with the tool of a GIS that fixes geometries`;
}
