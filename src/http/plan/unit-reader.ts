import type { Outline } from '../../prediction/units/outline.js';
import { type OutlineProblem, outlineProblem } from '../../prediction/units/outline-problem.js';
import type { ErrorObject } from '../errors/api-error.js';
import { OversizedNumber, SHOWN_ELEMENTS, show } from '../errors/shown-value.js';
import {
  CLOSE_ARRAY,
  COMMA,
  numberAt,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  textAt,
  valueEnd,
} from '../request/json.js';
import { ObjectFields } from '../request/object-fields.js';
import type { Issue } from '../request/request-errors.js';
import { CoordinatesReader } from './coordinates-reader.js';
import { fieldShownAt, isShort, SHORT_BYTES, shortTextAt } from './shown-at.js';

export type UnitId = string | number;

/** A feature of the request. */
export interface UnitFeature {
  readonly id: UnitId;
  /** The offset of the feature in the body. */
  readonly start: number;
}

/** The features of a body. */
export interface UnitFeatures {
  readonly features: readonly UnitFeature[];
  /** How many there are; beyond the limit they are only counted. */
  readonly total: number;
  /** What is wrong with the first few that have no id of their own. */
  readonly issues: readonly Issue[];
}

/** Where `id` is among the fields of a feature. */
const FEATURE_ID = 1;

/** Bytes of features between two pauses. */
const BYTES_PER_PAUSE = 64 * 1024;

/** Of ids that are numbers: JSON has none of more characters that a program wrote from a double. */
const MAX_NUMBER_LENGTH = 64;

/** A number of JSON: its sign, its digits before and after the point, and its exponent. */
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Digits of a place in a message: metres. */
const PLACE_DECIMALS = 5;

const GEOMETRY_TYPES = ['Polygon', 'MultiPolygon'] as const;

const CROSSING: Readonly<Record<Exclude<OutlineProblem['kind'], 'too intricate'>, string>> = {
  'ring meets itself': 'a ring crosses or touches itself',
  'rings cross': 'two rings cross',
  'hole outside its polygon': 'a hole lies outside its polygon',
  'holes overlap': 'two holes overlap',
  'polygons overlap': 'two polygons overlap',
};

/** Reads units, features of GeoJSON, from a body whose grammar was checked. */
export class UnitReader {
  readonly #collection = new ObjectFields(['type', 'features'], []);
  readonly #feature = new ObjectFields(['type', 'id', 'geometry'], []);
  readonly #geometry = new ObjectFields(['type', 'coordinates'], []);

  /** @param ends of the body's long values, by their start */
  constructor(
    private readonly bytes: Buffer,
    private readonly ends: ReadonlyMap<number, number>,
  ) {}

  /**
   * Finds the features of a FeatureCollection, or what is wrong with the collection.
   * @param start of the collection; 0 where the body has none
   * @param limit of features to read
   */
  *features(start: number, limit: number): Generator<undefined, UnitFeatures | Issue> {
    const { bytes } = this;
    const wrong = (path: string, message: string): Issue => ({ path, message });
    if (start === 0 || bytes[start] !== OPEN_OBJECT)
      return wrong('units', `units must be a GeoJSON FeatureCollection, not ${fieldShownAt(bytes, start)}`);
    yield* this.#scan(this.#collection, start);
    const [type, list] = this.#collection.starts;
    if (shortTextAt(bytes, type) !== 'FeatureCollection')
      return wrong('units.type', `units.type must be "FeatureCollection", not ${fieldShownAt(bytes, type)}`);
    if (list === 0 || bytes[list] !== OPEN_ARRAY)
      return wrong('units.features', `units.features must be an array, not ${fieldShownAt(bytes, list)}`);

    const features: UnitFeature[] = [];
    const issues: Issue[] = [];
    const seen = new Map<UnitId, number>();
    let total = 0;
    let pauseAt = list + BYTES_PER_PAUSE;
    for (let at = skipSpace(bytes, list + 1); bytes[at] !== CLOSE_ARRAY; total++) {
      if (total < limit) {
        const read = yield* this.#idAt(at, `units.features.${total}`, seen);
        if (read.issue !== undefined) issues.push(read.issue);
        else {
          seen.set(read.id, total);
          features.push({ id: read.id, start: at });
        }
      }
      at = skipSpace(bytes, this.#endOf(bytes, at));
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
      if (at > pauseAt) {
        pauseAt = at + BYTES_PER_PAUSE;
        yield;
      }
    }
    return { features, total, issues: issues.slice(0, SHOWN_ELEMENTS) };
  }

  /** Reads the outline of a feature. @returns it, or what is wrong with the feature */
  *outline({ start }: UnitFeature): Generator<undefined, Outline | ErrorObject> {
    const { bytes } = this;
    yield* this.#scan(this.#feature, start);
    const [type, , geometry] = this.#feature.starts;
    if (shortTextAt(bytes, type) !== 'Feature')
      return unitError('type', `type must be "Feature", not ${fieldShownAt(bytes, type)}`);
    if (geometry === 0 || bytes[geometry] !== OPEN_OBJECT)
      return unitError(
        'geometry',
        `geometry must be a Polygon or MultiPolygon, not ${fieldShownAt(bytes, geometry)}`,
      );
    yield* this.#scan(this.#geometry, geometry);
    const [kind, coordinates] = this.#geometry.starts;
    const text = shortTextAt(bytes, kind);
    const known = GEOMETRY_TYPES.find((name) => name === text);
    if (known === undefined) {
      const message = `geometry.type must be "Polygon" or "MultiPolygon", not ${fieldShownAt(bytes, kind)}`;
      return unitError('geometry.type', message);
    }
    if (coordinates === 0) return unitError('geometry.coordinates', 'geometry.coordinates is missing');
    const read = yield* new CoordinatesReader(bytes, coordinates, this.#endOf).read(known);
    if ('message' in read) return unitError(read.path, read.message);
    const problem = yield* outlineProblem(read);
    return problem === undefined ? read : unitError('geometry', problemMessage(problem));
  }

  /** The id of the feature at an offset, if it has one that is not among those before it. */
  *#idAt(
    start: number,
    path: string,
    seen: ReadonlyMap<UnitId, number>,
  ): Generator<undefined, { readonly id: UnitId; readonly issue?: undefined } | { readonly issue: Issue }> {
    const { bytes } = this;
    if (bytes[start] !== OPEN_OBJECT)
      return {
        issue: { path, message: `${path} must be a GeoJSON Feature, not ${fieldShownAt(bytes, start)}` },
      };
    yield* this.#scan(this.#feature, start);
    const at = this.#feature.starts[FEATURE_ID];
    const id = readId(bytes, at);
    const idPath = `${path}.id`;
    if (typeof id === 'object') return { issue: { path: idPath, message: `${idPath} ${id.problem}` } };
    const first = seen.get(id);
    if (first === undefined) return { id };
    const message = `${idPath} must be unique, but ${show(id)} is also the id of units.features.${first}`;
    return { issue: { path: idPath, message } };
  }

  #scan(fields: ObjectFields, start: number): Generator<undefined, void> {
    return fields.scanInSteps(this.bytes, start, this.#endOf);
  }

  readonly #endOf = (bytes: Buffer, start: number): number => this.ends.get(start) ?? valueEnd(bytes, start);
}

/** The id at an offset, 0 for none, or what is wrong with it. */
function readId(bytes: Buffer, at: number): UnitId | { readonly problem: string } {
  const isScalar = at !== 0 && bytes[at] !== OPEN_OBJECT && bytes[at] !== OPEN_ARRAY;
  if (isScalar && !isShort(bytes, at)) return { problem: `must have at most ${SHORT_BYTES} bytes as JSON` };
  const id = at === 0 ? undefined : bytes[at] === QUOTE ? textAt(bytes, at) : numberAt(bytes, at);
  if (id === undefined || (typeof id === 'number' && !Number.isFinite(id)))
    return { problem: `must be a string or a number, not ${fieldShownAt(bytes, at)}` };
  if (typeof id === 'string') return id;
  const text = bytes.toString('latin1', at, valueEnd(bytes, at));
  if (isExact(id, text)) return id;
  return {
    problem: `would be rounded from ${show(new OversizedNumber(text))} to ${id}: send it as a string`,
  };
}

/** Whether a double is written with the digits of a number of JSON, however that is spelled. */
function isExact(value: number, text: string): boolean {
  return text.length <= MAX_NUMBER_LENGTH && decimalOf(text) === decimalOf(String(value));
}

/** A decimal number as its sign, its digits without zeros at either end, and its power of ten. */
function decimalOf(text: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [text];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
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
