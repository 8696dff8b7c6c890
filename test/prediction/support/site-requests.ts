import { around } from 'geokdbush';
import type KDBush from 'kdbush';
import { type SharedGrid, valueAt } from '../../../src/prediction/artefacts/shared-grid.js';
import {
  BOTH_METHODS,
  HORIZONS,
  type Horizon,
  INCLUDES,
  PLANTING_METHODS,
} from '../../../src/prediction/dimensions.js';
import type { PredictorData } from '../../../src/prediction/predictor-data.js';
import { adjustmentWidth, OPTION, SiteRows } from '../../../src/prediction/site-rows.js';
import type { PlainOptions } from '../../../testing/oracle/plain-climate.js';
import { greatCircleKm, treeOf } from '../../../testing/oracle/plain-nearest-point.js';
import type { PlainAnswer, PlainPredictor } from '../../../testing/oracle/plain-prediction.js';
import { placeOf } from '../../../testing/project.js';

type Include = (typeof INCLUDES)[number];

/** A row as its caller states it. */
export interface SiteRequest {
  readonly latitude: number;
  readonly longitude: number;
  /** Index into the species list. */
  readonly species: number;
  /** Undefined asks for the comparison of both. */
  readonly method: (typeof PLANTING_METHODS)[number] | undefined;
  readonly horizons: readonly (1 | 3 | 5)[];
  readonly options?: PlainOptions;
}

const HORIZON_CHOICES: readonly SiteRequest['horizons'][] = [
  [1, 3, 5],
  [1, 3, 5],
  [1],
  [3],
  [5],
  [1, 5],
  [5, 3],
  [3, 3, 1],
];

const trees = new WeakMap<SharedGrid, KDBush>();

/** The points of a grid as a tree, which takes a third of a second to make. */
function treeOfGrid(grid: SharedGrid): KDBush {
  let tree = trees.get(grid);
  if (tree === undefined) {
    tree = treeOf(
      Array.from({ length: grid.pointCount }, (_, point) => {
        const { longitude, latitude } = placeOf(grid, point);
        return [longitude, latitude] as const;
      }),
    );
    trees.set(grid, tree);
  }
  return tree;
}

/**
 * Requests as callers mix them: near grid points, anywhere in the box around the states, beyond the borders.
 * @param optionShare the share of them that have options
 * @param includes what these may include
 */
export function randomRequests(
  data: PredictorData,
  count: number,
  random: () => number,
  optionShare = 0,
  includes: readonly Include[] = INCLUDES,
): SiteRequest[] {
  const { grid, species } = data;
  const choose = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const index = treeOfGrid(grid);
  const anyPlace = () => {
    const point = placeOf(grid, Math.floor(random() * grid.pointCount));
    const nearPoint = random() < 0.8;
    const decimals = 10 ** choose([2, 4, 6, 17]);
    const shown = (degrees: number) => Math.round(degrees * decimals) / decimals;
    return {
      latitude: shown(nearPoint ? point.latitude + 0.06 * (random() - 0.5) : 41 + 9 * random()),
      longitude: shown(nearPoint ? point.longitude + 0.06 * (random() - 0.5) : -126 + 11 * random()),
    };
  };
  return Array.from({ length: count }, () => {
    let place = anyPlace();
    while (isMidway(grid, index, place)) place = anyPlace();
    return {
      ...place,
      species: Math.floor(random() * species.length),
      method: choose([...PLANTING_METHODS, undefined]),
      horizons: choose(HORIZON_CHOICES),
      ...(random() < optionShare && { options: randomOptions(data, random, includes) }),
    };
  });
}

/** Whether two points of a grid are equally near, so that any of them is the nearest. */
function isMidway(
  grid: SharedGrid,
  index: KDBush,
  { latitude, longitude }: Pick<SiteRequest, 'latitude' | 'longitude'>,
): boolean {
  const [first, second] = around(index, longitude, latitude, 2).map((id) => {
    const point = placeOf(grid, id);
    return greatCircleKm(longitude, latitude, point.longitude, point.latitude);
  });
  return second - first < 1e-9;
}

/** Options as callers choose them: each of them or not. */
function randomOptions(
  { grid, manifest }: PredictorData,
  random: () => number,
  includes: readonly Include[],
): PlainOptions {
  const optional = <Value>(share: number, value: () => Value) => (random() < share ? value() : undefined);
  const between = (low: number, high: number) => low + (high - low) * random();
  const rounded = (value: number) => optional(0.5, () => Math.round(value)) ?? value;
  const options = {
    elevation_m: optional(0.4, () => {
      const elevation = grid.columns.elevation;
      const other = valueAt(elevation, Math.floor(random() * grid.pointCount));
      return Math.max(-10, rounded(between(other - 300, other + 300)));
    }),
    conditions: optional(0.4, () =>
      Object.fromEntries(
        manifest.features
          .filter(() => random() < 0.2)
          .map(({ name, minimum, maximum }) => [name, between(minimum, maximum)]),
      ),
    ),
    scenario: optional(0.4, () =>
      withoutUndefined({
        warming_c: optional(0.7, () => rounded(between(-5, 10))),
        precipitation_change_percent: optional(0.7, () => rounded(between(-80, 200))),
      }),
    ),
    include: optional(0.6, () =>
      includes.filter((word) => (word !== 'intervals' || manifest.interval_level !== null) && random() < 0.6),
    ),
  };
  return withoutUndefined(options);
}

function withoutUndefined<Fields extends object>(fields: Fields) {
  type Present = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present;
}

/** Requests as the columns that a worker is given. */
export function rowsOf(
  requests: readonly SiteRequest[],
  generatedAt: Date,
  { manifest }: Pick<PredictorData, 'manifest'>,
): SiteRows {
  const rows = new SiteRows(requests.length, adjustmentWidth(manifest));
  requests.forEach(({ latitude, longitude, species, method, horizons, options = {} }, row) => {
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.generatedAtMs[row] = generatedAt.getTime();
    rows.species[row] = species;
    rows.method[row] = method === undefined ? BOTH_METHODS : PLANTING_METHODS.indexOf(method);
    rows.horizons[row] = horizonSet(horizons);
    const { elevation_m, scenario, conditions, include = [] } = options;
    const numbers = [
      elevation_m,
      scenario?.warming_c,
      scenario?.precipitation_change_percent,
      ...manifest.features.map(({ name }) => conditions?.[name]),
    ].map(Number);
    for (const word of include) rows.options[row] |= OPTION[word as Include];
    if (!numbers.every(Number.isNaN)) rows.options[row] |= OPTION.adjusted;
    rows.adjustments.set(numbers, row * rows.width);
  });
  return rows;
}

/** What the oracle answers to a request. */
export function plainAnswer(
  oracle: PlainPredictor,
  { species }: PredictorData,
  { species: index, method, options, ...place }: SiteRequest,
  generatedAt: Date,
): Promise<PlainAnswer> {
  const request = { ...place, ...options, species_code: species[index].species_code };
  return method === undefined
    ? oracle.compare(request, generatedAt)
    : oracle.predict({ ...request, planting_method: method }, generatedAt);
}

/** A set of horizons as bits: bit i stands for HORIZONS[i]. Repeated years count once. */
export function horizonSet(years: readonly Horizon[]): number {
  let set = 0;
  for (const year of years) set |= 1 << HORIZONS.indexOf(year);
  return set;
}
