import { around, distance } from 'geokdbush';
import pointInPolygon from 'point-in-polygon-hao';
import { answerEncoder, elementCapacity } from '../../src/formats/json/answer-encoder.js';
import { JsonWriter } from '../../src/formats/json/json-writer.js';
import { PredictionCache } from '../../src/prediction/cache.js';
import { regionCoverage } from '../../src/prediction/locate/coverage.js';
import {
  EARTH_RADIUS_KM,
  haversin,
  kmOfHaversine,
  NearestPoint,
  RADIANS,
} from '../../src/prediction/locate/nearest-point.js';
import { PREDICTION_NUMBERS } from '../../src/prediction/model/prediction-numbers.js';
import { Predictor } from '../../src/prediction/predictor.js';
import { RowRecords } from '../../src/prediction/row-record.js';
import { SiteRows } from '../../src/prediction/site-rows.js';
import { treeOf } from '../../testing/oracle/plain-nearest-point.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { spread } from '../../testing/statistics.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';

const ROUNDS = 15;
const CALLS = 20_000;

/** One implementation: `run(i)` applies it to the i-th input. */
interface Way {
  readonly name: string;
  readonly run: (i: number) => unknown;
}

/** Compares our code with libraries that could replace it, in this process: CPU time per call, with collections. */
export async function pieces(environment: Environment): Promise<Row[]> {
  environment.progress('pieces: own code and libraries, in this process');
  const inputs = readInputs();
  return [nearest, coverage, greatCircle, number, answers, caches].flatMap((piece) => piece(inputs));
}

/** The grid and places near its points, with coordinates of 5 decimals. */
function readInputs() {
  const data = readPredictorData();
  const { grid } = data;
  const tree = treeOf(
    Array.from({ length: grid.pointCount }, (_, point) => {
      const { longitude, latitude } = placeOf(grid, point);
      return [longitude, latitude];
    }),
  );
  const random = seededRandom(1);
  const places = Array.from({ length: CALLS }, () => {
    const point = Math.floor(grid.pointCount * random());
    const matched = placeOf(grid, point);
    const near = (degrees: number) => Math.round((degrees + 0.05 * (random() - 0.5)) * 1e5) / 1e5;
    return { longitude: near(matched.longitude), latitude: near(matched.latitude), point, matched };
  });
  return { data, tree, places };
}
type Inputs = ReturnType<typeof readInputs>;

function nearest(inputs: Inputs): Row[] {
  const { data, tree, places } = inputs;
  const ours = new NearestPoint(data.grid.index, data.searchRadiusKm);
  const { searchRadiusKm } = data;
  return compare('nearest point', [
    { name: 'NearestPoint', run: (i) => ours.find(places[i].longitude, places[i].latitude) },
    { name: 'kdbush range', run: (i) => nearestInRange(inputs, places[i].longitude, places[i].latitude) },
    {
      name: 'geokdbush.around',
      run: (i) => around(tree, places[i].longitude, places[i].latitude, 1, searchRadiusKm)[0],
    },
  ]);
}

/** The nearest of the points in the box of a radius. */
function nearestInRange({ data, tree }: Inputs, longitude: number, latitude: number): number {
  const radius = data.searchRadiusKm / EARTH_RADIUS_KM;
  const cosLatitude = Math.cos(latitude * RADIANS);
  const north = radius / RADIANS;
  const east = Math.asin(Math.sin(radius) / cosLatitude) / RADIANS;
  let nearest = -1;
  let least = haversin(radius);
  for (const point of tree.range(longitude - east, latitude - north, longitude + east, latitude + north)) {
    const place = placeOf(data.grid, point);
    const cosines = cosLatitude * Math.cos(place.latitude * RADIANS);
    const each =
      haversin((place.latitude - latitude) * RADIANS) +
      cosines * haversin((place.longitude - longitude) * RADIANS);
    if (each < least) [nearest, least] = [point, each];
  }
  return nearest;
}

function coverage({ data: { regions }, places }: Inputs): Row[] {
  const ours = regionCoverage(regions);
  const polygons = regions.flatMap((region) => region.polygons);
  return compare('coverage of a place', [
    { name: 'Coverage', run: (i) => ours.contains(places[i].longitude, places[i].latitude) },
    {
      name: 'point-in-polygon-hao',
      run: (i) =>
        polygons.some(
          (polygon) => pointInPolygon([places[i].longitude, places[i].latitude], polygon) !== false,
        ),
    },
  ]);
}

function greatCircle({ places }: Inputs): Row[] {
  return compare('great-circle distance', [
    {
      name: 'nearest-point.ts',
      run: (i) => {
        const { longitude, latitude, matched } = places[i];
        const cosines = Math.cos(latitude * RADIANS) * Math.cos(matched.latitude * RADIANS);
        const ofLongitudes = haversin((matched.longitude - longitude) * RADIANS);
        return kmOfHaversine(haversin((matched.latitude - latitude) * RADIANS) + cosines * ofLongitudes);
      },
    },
    {
      name: 'geokdbush.distance',
      run: (i) =>
        distance(
          places[i].longitude,
          places[i].latitude,
          places[i].matched.longitude,
          places[i].matched.latitude,
        ),
    },
  ]);
}

function number({ places }: Inputs): Row[] {
  const memory = Buffer.alloc(64);
  const writer = new JsonWriter();
  return compare('JSON of a coordinate, as bytes', [
    {
      name: 'JsonWriter.writeNumber',
      run: (i) => {
        writer.begin(memory);
        writer.writeNumber(places[i].latitude);
        return writer.length;
      },
    },
    {
      name: 'JSON.stringify and Buffer.write',
      run: (i) => memory.write(JSON.stringify(places[i].latitude), 'latin1'),
    },
  ]);
}

/** The numbers of a prediction that `answers` and `caches` share. */
const numbers = Uint16Array.from({ length: 2 * PREDICTION_NUMBERS }, (_, i) => (i % 7 === 0 ? 7000 : i % 7));

function answers({ data, places }: Inputs): Row[] {
  const memory = Buffer.alloc(2 * elementCapacity(data));
  const encoder = answerEncoder(new Predictor({ ...data, cacheBytes: 0 }, []));
  const rows = new SiteRows(1);
  rows.horizons[0] = 7;
  rows.generatedAtMs[0] = 1.7e12;
  const records = RowRecords.create(rows);
  records.numbers.set(numbers);
  records.distancesKm[0] = 1.234;
  const answers = { status: records.status, ends: new Uint32Array(1), json: memory };
  const run = { inferenceMs: 0, explanations: [], draws: [] };
  const write = (place: number) => {
    const { latitude, longitude, point } = places[place];
    rows.latitude[0] = latitude;
    rows.longitude[0] = longitude;
    records.points[0] = point;
    encoder.write(rows, records, run, answers);
    return answers.ends[0];
  };
  // These objects exist already; a plain implementation has to create them, too.
  const objects = places.map((_, row) => JSON.parse(memory.toString('utf8', 0, write(row) - 1)) as object);
  return compare('JSON of an answer, as bytes', [
    { name: 'AnswerEncoder', run: write },
    { name: 'JSON.stringify and Buffer.write', run: (row) => memory.write(JSON.stringify(objects[row])) },
  ]);
}

/** Entries of a cache, and keys that are looked up in it at random. */
const ENTRIES = 100_000;
const KEYS = 200_000;
/** A slot of the prediction cache in bytes. */
const SLOT_BYTES = 64;

/** Look-ups in full caches. About half are misses, which are then stored. */
function caches(): Row[] {
  const slots = new PredictionCache(ENTRIES * SLOT_BYTES);
  let [older, recent] = [new Map<number, Uint16Array>(), new Map<number, Uint16Array>()];
  const random = seededRandom(2);
  const keys = Int32Array.from({ length: CALLS * 20 }, () => 1 + Math.floor(KEYS * random()));
  const found = numbers.slice();
  let next = 0;
  const nextKey = () => keys[next++ % keys.length];
  return compare('cache of predictions', [
    {
      name: 'PredictionCache on SlotTable',
      run: () => {
        const key = nextKey();
        if (!slots.read(key, found, 0)) slots.keep(key, numbers, 0);
      },
    },
    {
      // A lower bound for lru-cache, which keeps a Map and the order of use. (Deleting the oldest entry of a Map is slow.)
      name: 'Map, two generations',
      run: () => {
        const key = nextKey();
        const hit = recent.get(key) ?? older.get(key);
        if (hit !== undefined) return found.set(hit);
        if (recent.size === ENTRIES / 2) [older, recent] = [recent, new Map()];
        recent.set(key, numbers.slice(0, PREDICTION_NUMBERS));
      },
    },
  ]);
}

/** Measures rounds of calls in turn (A B A B), after rounds that compile the code and fill the caches. */
function compare(what: string, ways: readonly Way[]): Row[] {
  const microseconds = ways.map((): number[] => []);
  for (let round = -10; round < ROUNDS; round++) {
    for (const [w, { run }] of ways.entries()) {
      const start = process.cpuUsage();
      for (let i = 0; i < CALLS; i++) run(i);
      const { user, system } = process.cpuUsage(start);
      if (round >= 0) microseconds[w].push((user + system) / CALLS);
    }
  }
  return ways.map(({ name }, w) => ({
    scope: 'pieces',
    what: `${what}: ${name}`,
    figures: { 'CPU us/call': spread(microseconds[w]) },
  }));
}
