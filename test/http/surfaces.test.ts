import { tableFromIPC } from 'apache-arrow';
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/formats/errors/api-error.js';
import type { predictionResultSchema } from '../../src/http/response/schemas.js';
import { surfaceResponses } from '../../src/http/response/surface-schemas.js';
import { HORIZONS, PLANTING_METHODS } from '../../src/prediction/dimensions.js';
import { greatCircleKm } from '../../testing/oracle/plain-nearest-point.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { expectError } from '../support/error-body.js';
import { amount } from '../support/length.js';
import { sharedService } from '../support/service.js';

const jsonSchema = surfaceResponses['application/json'];
type SurfaceAnswer = ReturnType<typeof jsonSchema.parse>;
type Prediction = ReturnType<typeof predictionResultSchema.parse>;

const TYPES = Object.keys(surfaceResponses);
const [JSON_TYPE, GEOJSON, CSV, ARROW, TIFF] = TYPES as [string, string, string, string, string];
const CASCADES = 'bbox=-122.3,44,-122,44.2';

const { grid } = readPredictorData();
const places = Array.from({ length: grid.pointCount }, (_, point) => placeOf(grid, point));

// The whole grid takes seconds where the machine has other work.
const service = await sharedService({ REQUEST_TIMEOUT_MS: '120000' });

const get = (query: string, headers: Record<string, string> = {}, species = 'PSME') =>
  service.get(`/v1/surfaces/${species}?${query}`, headers);

async function surface(query: string, species = 'PSME'): Promise<SurfaceAnswer> {
  const response = await get(query, {}, species);
  const body = (await response.json()) as SurfaceAnswer;
  expect(response.status, JSON.stringify(body).slice(0, 300)).toBe(200);
  return body;
}

const pointsOf = ({ longitude, latitude }: Pick<SurfaceAnswer, 'longitude' | 'latitude'>) =>
  longitude.map((east, i) => `${east},${latitude[i]}`);

/** The grid's points within a box, by going through all of them. */
function pointsWithin(west: number, south: number, east: number, north: number): string[] {
  return places.flatMap(({ longitude, latitude }) => {
    const isInside = longitude >= west && longitude <= east && latitude >= south && latitude <= north;
    return isInside ? [`${longitude},${latitude}`] : [];
  });
}

/** Columns as the JSON has them. */
type Columns = Record<string, readonly unknown[]>;

function columnsOf(answer: SurfaceAnswer): Columns {
  const { longitude, latitude, elevation_m, region, in_native_range } = answer;
  const survival = PLANTING_METHODS.flatMap((method) =>
    HORIZONS.map((years) => [`survival_${method}_${years}`, answer.survival[method][years]] as const),
  );
  return { longitude, latitude, elevation_m, region, in_native_range, ...Object.fromEntries(survival) };
}

test.each(['', 'warming_c=2.5', 'warming_c=-1&precipitation_change_percent=-30'])(
  'the values of a surface with "%s" are those of predictions at its points',
  async (scenario) => {
    const answer = await surface(`max_points=5000&${scenario}`, 'TSHE');
    jsonSchema.parse(answer);
    const random = seededRandom(scenario.length);
    const count = amount({ short: 240, long: 5000 });
    const chosen = Array.from({ length: count }, () => Math.floor(random() * answer.points));
    const parameters = new URLSearchParams(scenario);
    const changed = Object.fromEntries([...parameters].map(([name, value]) => [name, Number(value)]));
    const requests = chosen.flatMap((i) =>
      PLANTING_METHODS.map((planting_method) => ({
        latitude: answer.latitude[i],
        longitude: answer.longitude[i],
        species_code: 'TSHE',
        planting_method,
        scenario: changed,
        include: ['site'],
      })),
    );
    for (let from = 0; from < requests.length; from += 480) {
      const batch = await service.post('/v1/predict/batch', { requests: requests.slice(from, from + 480) });
      const { results } = (await batch.json()) as { results: Prediction[] };
      results.forEach(({ site, planting_method, predictions }, result) => {
        const i = chosen[Math.floor((from + result) / PLANTING_METHODS.length)];
        expect(site.match_distance_km).toBe(0);
        expect([answer.elevation_m[i], answer.region[i], answer.in_native_range[i]]).toEqual([
          site.matched_elevation_m,
          site.region,
          site.in_native_range,
        ]);
        for (const { horizon_years, survival_probability } of predictions)
          expect(answer.survival[planting_method][horizon_years][i]).toBe(survival_probability);
      });
    }
  },
);

test('a surface has exactly the documented fields, in the documented order', async () => {
  const answer = await surface(CASCADES);
  expect(Object.keys(answer).join(' ')).toBe(
    'species_code species_common_name horizons points spacing_km longitude latitude elevation_m region in_native_range survival model',
  );
  expect(answer).toMatchObject({
    species_code: 'PSME',
    species_common_name: 'Douglas-fir',
    horizons: [1, 3, 5],
  });
  const headers = (await get(CASCADES)).headers;
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('private, no-cache');
  expect(headers.get('model-outcomes')).toBe('simulated');
  expect(headers.get('vary')).toBe('accept, accept-encoding');
});

test('GeoJSON, CSV and Arrow have the same content as JSON', async () => {
  const query = `${CASCADES}&warming_c=1`;
  const json = await surface(query);
  const columns = columnsOf(json);
  const names = Object.keys(columns);
  const { longitude, latitude, elevation_m, region, in_native_range, survival, ...head } = json;

  const geojson = (await (await get(query, { accept: GEOJSON })).json()) as {
    features: { geometry: { coordinates: number[] }; properties: Record<string, unknown> }[];
  };
  surfaceResponses['application/geo+json'].parse(geojson);
  const { type, features, ...members } = geojson as Record<string, unknown>;
  expect([type, members]).toEqual(['FeatureCollection', head]);
  const flat = geojson.features.map(({ geometry, properties }) => [
    ...geometry.coordinates,
    ...names.slice(2).map((name) => properties[name]),
  ]);
  const rows = longitude.map((_, i) => names.map((name) => columns[name][i]));
  expect(flat).toEqual(rows);

  const csv = await get(query, { accept: CSV });
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(await csv.text()).toBe([names, ...rows].map((row) => `${row.join()}\r\n`).join(''));

  const arrow = await get(query, { accept: ARROW });
  expect(arrow.headers.get('content-type')).toBe(ARROW);
  const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
  expect(table.schema.fields.map(({ name }) => name)).toEqual(names);
  for (const name of names) {
    const isSurvival = name.startsWith('survival_');
    const values = [...table.getChild(name)!].map((value) => (isSurvival ? Number(value.toFixed(4)) : value));
    expect(values).toEqual(columns[name]);
  }
  const metadata = [...table.schema.metadata].map(([name, value]) => [
    name,
    name.startsWith('species') ? value : JSON.parse(value),
  ]);
  expect(Object.fromEntries(metadata)).toEqual(head);
});

test('a surface of the whole grid has every point once', async () => {
  const response = await get('max_points=500000', { accept: ARROW });
  expect(response.status).toBe(200);
  const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
  const [longitude, latitude] = ['longitude', 'latitude'].map((name) => table.getChild(name)!.toArray());
  expect(longitude).toHaveLength(grid.pointCount);
  const differing = places.filter(
    (place, point) => place.latitude !== latitude[point] || place.longitude !== longitude[point],
  );
  expect(differing).toEqual([]);
});

test('spacing_km is the distance of the rows of the points, north to south', async () => {
  const { latitude, spacing_km, points } = await surface('bbox=-124,43.2,-119.5,47.1');
  expect(points).toBeGreaterThan(10_000);
  expect(points).toBeLessThanOrEqual(20_000);
  const rows = [...new Set(latitude)];
  const gaps = rows.slice(1).map((degrees, i) => greatCircleKm(-120, degrees, -120, rows[i]));
  expect(Math.max(...gaps)).toBeCloseTo(spacing_km, 2);
  expect(Math.min(...gaps)).toBeCloseTo(spacing_km, 2);
});

test('the points of a lattice are among those of a lattice twice as fine, and the values there the same', async () => {
  const box = 'bbox=-122.5,43,-121,44.5';
  const fine = await surface(box);
  const columns = columnsOf(fine);
  const at = new Map(pointsOf(fine).map((place, i) => [place, i]));
  const coarse = await surface(`${box}&max_points=${Math.floor(fine.points / 3)}`);
  expect(coarse.spacing_km).toBeCloseTo(2 * fine.spacing_km, 2);
  expect(coarse.points).toBeGreaterThan(fine.points / 5);
  const indexes = pointsOf(coarse).map((place) => at.get(place));
  for (const [name, values] of Object.entries(columnsOf(coarse)))
    expect(indexes.map((i) => columns[name][i!])).toEqual(values);
});

test('points on the edges of the box are inside, and those just beyond are not', async () => {
  const { longitude, latitude } = await surface(CASCADES);
  const [west, east] = [Math.min(...longitude), Math.max(...longitude)];
  const [south, north] = [Math.min(...latitude), Math.max(...latitude)];
  const exact = await surface(`bbox=${west},${south},${east},${north}`);
  expect(pointsOf(exact)).toEqual(pointsWithin(-122.3, 44, -122, 44.2));
  const less = 0.00001;
  const within = await surface(`bbox=${west + less},${south + less},${east - less},${north - less}`);
  const inner = longitude.flatMap((degrees, i) => {
    const isOnEdge = degrees === west || degrees === east || latitude[i] === south || latitude[i] === north;
    return isOnEdge ? [] : [`${degrees},${latitude[i]}`];
  });
  expect(inner.length).toBeLessThan(longitude.length);
  expect(pointsOf(within)).toEqual(inner);
  const one = await surface(`bbox=${longitude[5]},${latitude[5]},${longitude[5]},${latitude[5]}`);
  expect(pointsOf(one)).toEqual([`${longitude[5]},${latitude[5]}`]);
});

test.each(['bbox=0,0,1,1', 'bbox=-180,-90,-180,-90', 'bbox=-122.2,44.0001,-122.1999,44.0002'])(
  'a surface without points, %s, is an answer in each format',
  async (query) => {
    const answer = await surface(query);
    expect(answer.points).toBe(0);
    expect(Object.values(columnsOf(answer)).flat()).toEqual([]);
    jsonSchema.parse(answer);
    const geojson = await (await get(query, { accept: GEOJSON })).json();
    expect(surfaceResponses['application/geo+json'].parse(geojson).features).toEqual([]);
    expect((await (await get(query, { accept: CSV })).text()).trim().split('\n')).toHaveLength(1);
    const arrow = await get(query, { accept: ARROW });
    expect(tableFromIPC(new Uint8Array(await arrow.arrayBuffer())).numRows).toBe(0);
  },
);

test('parameters with their default values change neither the ETag nor the answer', async () => {
  const [plain, same] = await Promise.all(
    ['', '&precipitation_change_percent=-0&include=&warming_c=0'].map((query) => get(CASCADES + query)),
  );
  expect(same.headers.get('etag')).toBe(plain.headers.get('etag'));
  expect(await same.text()).toBe(await plain.text());
});

const OTHERS = [
  ['another box', 'bbox=-122.3,44,-122,44.3', 'PSME'],
  ['other points', `${CASCADES}&max_points=10`, 'PSME'],
  ['a warmer climate', `${CASCADES}&warming_c=1`, 'PSME'],
  ['another species', CASCADES, 'TSHE'],
] as const;

test('a surface has one strong ETag for each media type, content coding and request', async () => {
  const codings = ['identity', 'gzip', 'br'];
  const tags = new Set<string>();
  const others = TYPES.filter((type) => type !== TIFF);
  for (const accept of others) {
    for (const coding of codings) {
      const response = await get(CASCADES, { accept, 'accept-encoding': coding });
      await response.arrayBuffer();
      const etag = response.headers.get('etag')!;
      expect(etag).toMatch(/^"[\w-]+"$/);
      tags.add(etag);
      const again = await get(CASCADES, { accept, 'accept-encoding': coding, 'if-none-match': etag });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(again.headers.get('model-outcomes')).toBe('simulated');
      for (const name of ['etag', 'cache-control', 'vary'])
        expect(again.headers.get(name)).toBe(response.headers.get(name));
      expect(again.headers.has('content-encoding')).toBe(false);
    }
  }
  expect(tags.size).toBe(others.length * codings.length);
  for (const [, query, species] of OTHERS) tags.add((await get(query, {}, species)).headers.get('etag')!);
  expect(tags.size).toBe(others.length * codings.length + OTHERS.length);
});

test.each([
  [(etag: string) => etag, 304],
  [(etag: string) => `W/${etag}`, 304],
  [(etag: string) => `"x", ${etag},"y"`, 304],
  [() => '*', 304],
  [() => '"x"', 200],
  [(etag: string) => etag.slice(1, -1), 200],
])('If-None-Match is read as RFC 9110 has it, case %#', async (ifNoneMatch, status) => {
  const etag = (await get(CASCADES)).headers.get('etag')!;
  const response = await get(CASCADES, { 'if-none-match': ifNoneMatch(etag) });
  expect(response.status).toBe(status);
});

test.each(['gzip', 'br'])('a surface compressed as %s is the same', async (coding) => {
  for (const accept of TYPES) {
    const plain = await get(CASCADES, { accept, 'accept-encoding': 'identity' });
    const compressed = await get(CASCADES, { accept, 'accept-encoding': coding });
    expect(compressed.headers.get('content-encoding')).toBe(accept === TIFF ? null : coding);
    expect(Buffer.from(await compressed.arrayBuffer()).equals(Buffer.from(await plain.arrayBuffer()))).toBe(
      true,
    );
  }
});

test.each([
  ['*/*', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['text/csv; charset=utf8, application/json;q=0.5', CSV],
  ['text/html, application/geo+json', GEOJSON],
])('Accept: %s gets %s', async (accept, type) => {
  expect((await get(CASCADES, { accept })).headers.get('content-type')).toContain(type);
});

test('Accept without any of the types is not_acceptable 406, which lists them', async () => {
  const response = await get('bbox=x', { accept: 'text/html, application/json;q=0' }, 'XXXX');
  const { details } = await expectError(response, 406, 'not_acceptable');
  expect(details).toEqual({ available: TYPES });
});

const BOX = (value: string) =>
  `bbox must be west,south,east,north in degrees from -180 to 180 and -90 to 90, west at most east and south at most north, not ${value}`;
const POINTS = (value: string, most = 500_000) =>
  `max_points must be a whole number from 1 to ${most}, not ${value}; by tier it is at most spore 20000, mycel 20000, hypha 500000`;

test.each([
  ['bbox=', 'bbox', BOX('""')],
  ['bbox=1,2,3', 'bbox', BOX('"1,2,3"')],
  ['bbox=1,2,3,4,5', 'bbox', BOX('"1,2,3,4,5"')],
  ['bbox=-122,44,-123,45', 'bbox', BOX('"-122,44,-123,45"')],
  ['bbox=-123,45,-122,44', 'bbox', BOX('"-123,45,-122,44"')],
  ['bbox=44,-123,45,-122', 'bbox', BOX('"44,-123,45,-122"')],
  ['bbox=-181,44,-122,45', 'bbox', BOX('"-181,44,-122,45"')],
  ['bbox=-123,44,-122,1e999', 'bbox', BOX('"-123,44,-122,1e999"')],
  ['bbox=1,2,3,4&bbox=1,2,3,4', 'bbox', 'bbox must be given once'],
  ['max_points=0', 'max_points', POINTS('0')],
  ['max_points=500001', 'max_points', POINTS('500001')],
  ['max_points=1.5', 'max_points', POINTS('1.5')],
  ['max_points=', 'max_points', POINTS('""')],
  ['warming_c=11', 'warming_c', 'warming_c must be a number from -5 to 10 degC, not 11'],
  [
    'max_point=5',
    'max_point',
    '"max_point" is not a parameter of the query: these are f, bbox, max_points, include, warming_c, precipitation_change_percent, ' +
      'vegetation_control, overstory_cover, seeds_per_spot',
  ],
])('the query %s is an invalid request that says so', async (query, path, message) => {
  const error = await expectError(await get(query), 422, 'invalid_request');
  expect(error).toMatchObject({
    message: `The request is not valid: ${message}.`,
    details: { issues: [{ path, message }] },
  });
});

test('numbers of the query are read however they are written', async () => {
  const textOf = async (query: string) => (await get(query)).text();
  const plain = await textOf('bbox=-122.5,44,-122,44.5&warming_c=1.5&max_points=1000');
  expect(await textOf('bbox=-1.225e2,%2B44.,-12200E-2,44.50&warming_c=.15e1&max_points=1e3')).toBe(plain);
});

test('more than 20,000 points are for the tier hypha only', async () => {
  for (const tier of ['spore', 'mycel'] as const) {
    const headers = { 'x-api-key': (await service.issueKey(tier)).secret };
    const { details } = await expectError(await get('max_points=20001', headers), 422, 'invalid_request');
    expect(details).toEqual({ issues: [{ path: 'max_points', message: POINTS('20001', 20_000) }] });
    expect((await get(`${CASCADES}&max_points=20000`, headers)).status).toBe(200);
  }
  expect((await get(`${CASCADES}&max_points=20001`)).status).toBe(200);
});

test.each<[string, string, string, Record<string, string>, number, ErrorCode]>([
  ['the key before Accept', '', 'PSME', { 'x-api-key': 'x', accept: 'text/html' }, 401, 'invalid_api_key'],
  ['Accept before the query', 'bbox=x', 'PSME', { accept: 'text/html' }, 406, 'not_acceptable'],
  ['the query before the species', 'bbox=x', 'XXXX', {}, 422, 'invalid_request'],
  ['the points of a raster before the species', 'f=tif&max_points=1', 'XXXX', {}, 422, 'invalid_request'],
  ['the cells of a raster before the species', 'f=tif&bbox=0,0,1,1', 'XXXX', {}, 422, 'invalid_request'],
  ['the species before the ETag', '', 'XXXX', { 'if-none-match': '*' }, 422, 'invalid_species'],
  ['the query before the ETag', 'bbox=x', 'PSME', { 'if-none-match': '*' }, 422, 'invalid_request'],
  ['the letters of the code', '', 'psme', {}, 422, 'invalid_species'],
])('a surface is checked for %s', async (_order, query, species, headers, status, code) => {
  const response = await get(query, headers, species);
  const { message } = await expectError(response, status, code);
  expect(response.headers.has('etag')).toBe(false);
  expect(response.headers.get('cache-control')).toBe('no-store');
  if (species === 'psme') expect(message).toContain('PSME (Douglas-fir)');
});
