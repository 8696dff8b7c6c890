import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { Predictor } from '../../prediction/predictor.js';
import { coverageOf, memoize, nearestDataOf, type PredictorData } from '../../prediction/predictor-data.js';
import { DISTANCE_DECIMALS } from '../../prediction/row-record.js';
import { adjustmentWidth, ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import { areaHa, centroid } from '../../prediction/units/outline.js';
import { unitPoints } from '../../prediction/units/unit-points.js';
import { ApiError, type ErrorObject } from '../errors/api-error.js';
import { type Choice, readChoice } from '../request/choice.js';
import { optionWriter } from '../request/options.js';
import { speciesOf } from '../request/places.js';
import { parseDocument } from '../request/read-document.js';
import {
  batchTooLarge,
  type Issue,
  isObject,
  issueError,
  placeError,
  schemaError,
  type TierLimit,
} from '../request/request-errors.js';
import { type PlanRequest, requestSchemas } from '../request/schemas.js';
import { DEFAULT_BASIS, DEFAULT_HORIZON, type PlantingBasis, REFUSED_FIELDS } from './plan-schema.js';
import {
  collectionIssue,
  PLACE_DECIMALS,
  readFeatures,
  readOutline,
  type UnitFeature,
  type UnitId,
  unitError,
} from './unit-reader.js';

/** The request for a plan without its units; plain data that can be passed to another thread. */
export interface PlanTerms extends Choice, Pick<PlanRequest, 'costs' | 'target_per_ha'> {
  /** Index into HORIZONS. */
  readonly horizon: number;
  /** The survival that `target_per_ha` is divided by. */
  readonly basis: PlantingBasis;
  /** The scenario and conditions of the request, as the adjustments of a row; empty where it has none. */
  readonly adjustments: Float64Array;
}

/** A unit that can be predicted for. It has a row for each species and site: all sites of a species, then the next. */
export interface ValidUnit {
  /** What its element of the answer begins with. */
  readonly fields: {
    readonly id: UnitId;
    /** Hectares with 4 decimals. */
    readonly area_ha: number;
    /** Grid points inside the unit that are averaged; 0 where there are none. */
    readonly data_points: number;
    /** From the centroid to the nearest grid point, km with 3 decimals. */
    readonly nearest_km: number;
  };
  /** Indexes into the species list. */
  readonly species: readonly { readonly species: number; readonly isNative: boolean }[];
  /** Degrees of its sites: these points, or the centroid. */
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
  readonly error?: undefined;
}

/** A unit of a plan, or what is wrong with it. */
type PlanUnit = ValidUnit | { readonly id: UnitId; readonly error: ErrorObject };

/** The number of rows of a unit: one for each species and site. */
export const rowCountOf = (unit: PlanUnit) =>
  unit.error === undefined ? unit.species.length * unit.latitude.length : 0;

/** A plan with the units that were read so far; plain data that can be passed to another thread. */
export interface Plan {
  readonly terms: PlanTerms;
  readonly units: readonly PlanUnit[];
  readonly rowCount: number;
  readonly isRead: boolean;
}

/** The most predictions of a request: sites times species times planting methods. */
export const MAX_PREDICTIONS = 200_000;
const TOO_MANY_PREDICTIONS =
  `the plan needs more than ${MAX_PREDICTIONS} predictions, which are data points by species and planting methods: ` +
  'send fewer units, species or methods in a request';

/** How long a step takes, about: others wait for it. */
export const STEP_MS = 15;
/** A step parses the body again, and then spends at least this many times as long on units. */
const UNITS_SHARE = 2;

/**
 * Reads the body of POST /v1/plan, and the outlines and grid points of some more of its units.
 * @param before the plan of the step before; undefined at the beginning
 * @throws ApiError where the request is wrong as a whole
 */
export function readPlan(
  { body, limit, before }: Readonly<{ body: Uint8Array; limit: TierLimit; before: Plan | undefined }>,
  { data }: Predictor,
): Plan {
  const startedMs = performance.now();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const { terms, features } = readTerms(bytes, limit, data);
  const parsedMs = performance.now();
  const endMs = parsedMs + Math.max(STEP_MS, UNITS_SHARE * (parsedMs - startedMs));
  const units = [...(before?.units ?? [])];
  let rowCount = before?.rowCount ?? 0;
  while (units.length < features.length) {
    const unit = planUnit(features[units.length], terms, data);
    units.push(unit);
    rowCount += rowCountOf(unit);
    if (rowCount * terms.methods.length > MAX_PREDICTIONS) throw issueError('', TOO_MANY_PREDICTIONS);
    if (performance.now() > endMs) break;
  }
  return { terms, units, rowCount, isRead: units.length === features.length };
}

function planUnit(feature: UnitFeature, terms: PlanTerms, data: PredictorData) {
  try {
    return validUnit(feature, terms, data);
  } catch (error) {
    if (error instanceof ApiError) return { id: feature.id, error: error.error };
    throw error;
  }
}

/** The species to predict: native ones are those whose range holds at least half of the points. */
function speciesAt(points: Int32Array, { species, nativeOnly }: Choice, nativeRanges: Uint32Array) {
  return species.flatMap((index) => {
    const native = points.reduce((count, point) => count + ((nativeRanges[point] >>> index) & 1), 0);
    const isNative = 2 * native >= points.length;
    return isNative || !nativeOnly ? [{ species: index, isNative }] : [];
  });
}

const rounded = (value: number, decimals: number) => Number(value.toFixed(decimals));
const AREA_DECIMALS = 4;

/** Finds the sites of a unit. @throws ApiError where it is not valid or has none */
function validUnit(feature: UnitFeature, terms: PlanTerms, data: PredictorData): ValidUnit {
  const { index, nativeRanges } = data.grid;
  const outline = readOutline(feature);
  const area = rounded(areaHa(outline), AREA_DECIMALS);
  const middle = centroid(outline);
  if (area <= 0 || middle === undefined) throw unitError('geometry', 'the unit has no area');
  const latitude = rounded(middle.latitude, PLACE_DECIMALS);
  const longitude = rounded(middle.longitude, PLACE_DECIMALS);
  const inside = unitPoints(index, outline);
  if (inside === undefined) throw unitError('geometry', 'its edges turn back too often: simplify it');
  const isBetweenPoints = inside.length === 0;
  const nearest = nearestDataOf(data);
  const nearestPoint = nearest.findAnywhere(longitude, latitude);
  const { distanceKm } = nearest;
  const isOutside = isBetweenPoints && !coverageOf(data).contains(longitude, latitude);
  if (isOutside || (isBetweenPoints && distanceKm > data.searchRadiusKm)) {
    const place = new SiteRows(1);
    place.latitude[0] = latitude;
    place.longitude[0] = longitude;
    const status = isOutside ? ROW_STATUS.outsideCoverage : ROW_STATUS.noNearbyData;
    throw new ApiError(placeError(status, place, 0, data, 'the centroid, '));
  }
  const points = isBetweenPoints ? Int32Array.of(nearestPoint) : inside;
  const { latitudes, longitudes, row, column } = index;
  return {
    fields: {
      id: feature.id,
      area_ha: area,
      data_points: inside.length,
      nearest_km: rounded(distanceKm, DISTANCE_DECIMALS),
    },
    species: speciesAt(points, terms, nativeRanges),
    latitude: Float64Array.from(points, (point) => (isBetweenPoints ? latitude : latitudes[row[point]])),
    longitude: Float64Array.from(points, (point) =>
      isBetweenPoints ? longitude : longitudes[column[point]],
    ),
  };
}

/** The schema and the options of requests, which depend on the grid and the models. */
const planRules = memoize((data: PredictorData) => ({
  schema: requestSchemas(data).plan.omit({ units: true }).extend(REFUSED_FIELDS),
  writeOptions: optionWriter(data),
}));

const BASIS_ALONE = 'basis requires target_per_ha: give both, or neither';

const NEEDS_INTERVALS = 'a plan needs intervals, and the models of this service have none';

/** Reads the body of POST /v1/plan up to the ids of its units. @throws ApiError as `readPlan` */
function readTerms(bytes: Buffer, limit: TierLimit, data: PredictorData) {
  const { schema, writeOptions } = planRules(data);
  const { manifest } = data;
  const body = parseDocument(bytes);
  const stated = Object(body) as Record<string, unknown>;
  const issues: Issue[] = manifest.interval_level === null ? [{ path: '', message: NEEDS_INTERVALS }] : [];
  if (stated.basis !== undefined && stated.target_per_ha === undefined)
    issues.push({ path: 'basis', message: BASIS_ALONE });
  const ofUnits = collectionIssue(stated.units);
  if (ofUnits !== undefined) issues.push(ofUnits);
  const invalid = schemaError(schema, body, [...issues, ...missingCosts(stated)]);
  if (invalid !== undefined) throw new ApiError(invalid);

  const request = body as PlanRequest & { readonly units: { readonly features: readonly unknown[] } };
  const { length } = request.units.features;
  if (length > limit.max) throw batchTooLarge(`The plan has ${length} units`, length, limit);
  const features = readFeatures(request.units.features);
  const choice = readChoice(request, speciesOf(data));
  if ('code' in choice) throw new ApiError(choice);
  const sites = new SiteRows(1, adjustmentWidth(manifest));
  if (!writeOptions(request, sites, 0)) throw new Error('the options of a valid request were rejected');
  const { costs, target_per_ha, basis = DEFAULT_BASIS, horizon = DEFAULT_HORIZON } = request;
  const terms: PlanTerms = {
    ...choice,
    horizon: HORIZONS.indexOf(horizon),
    costs,
    target_per_ha,
    basis,
    adjustments: sites.first(1).adjustments,
  };
  return { terms, features };
}

/** The issues of costs that a body with costs lacks. The schema finds all other issues. */
function missingCosts({ costs, planting_methods = PLANTING_METHODS }: Record<string, unknown>): Issue[] {
  if (!isObject(costs) || !Array.isArray(planting_methods)) return [];
  return PLANTING_METHODS.filter(
    (name) => planting_methods.includes(name) && !Object.hasOwn(costs, name),
  ).map((name) => ({
    path: `costs.${name}`,
    message: `costs.${name} is missing: costs are given for every method`,
  }));
}
