import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { ErrorCode } from '../../src/formats/errors/api-error.js';
import { planResponseSchema } from '../../src/http/response/schemas.js';
import { MAX_POSITIONS } from '../../src/prediction/units/check-outline.js';
import { type Position, rectangle, starAround } from '../prediction/support/outlines.js';
import { expectError } from '../support/error-body.js';
import { serviceOfFile } from '../support/service.js';
import { collection, FOREST_RING, PLAN_REQUEST, unit } from './support/units.js';

const PLAN_LIMIT_BYTES = 7_000_000;

const service = await serviceOfFile({ PLAN_LIMIT_BYTES: String(PLAN_LIMIT_BYTES) });

async function units(features: unknown[]): Promise<z.output<typeof planResponseSchema>['units']> {
  const body = { ...PLAN_REQUEST, units: collection(...features) };
  const response = await service.post('/v1/plan', body);
  expect(response.status).toBe(200);
  return planResponseSchema.parse(await response.json()).units;
}

const feature = (geometry: unknown) => ({ ...unit('bad'), geometry });
const polygon = (coordinates: unknown) => feature({ type: 'Polygon', coordinates });
const multiPolygon = (coordinates: unknown) => feature({ type: 'MultiPolygon', coordinates });
const ring = (...positions: Position[]) => unit('bad', positions);
const [a, b, c, d] = FOREST_RING;
const tooLong = starAround([-122, 44], 0.5, MAX_POSITIONS + 1, () => 0.5).map(
  ([x, y]): Position => [Math.round(x * 1e6) / 1e6, Math.round(y * 1e6) / 1e6],
);

type Mistake = [what: string, wrong: unknown, message: RegExp, code?: ErrorCode];

const MISTAKES: readonly Mistake[] = [
  ['another type', { ...unit('bad', FOREST_RING), type: 'Polygon' }, /type must be "Feature", not "Polygon"/],
  ['no geometry', feature(null), /geometry must be a Polygon or MultiPolygon, not null/],
  [
    'a point',
    feature({ type: 'Point', coordinates: [-122, 44] }),
    /geometry\.type must be "Polygon" or "MultiPolygon", not "Point"/,
  ],
  ['no coordinates', feature({ type: 'Polygon' }), /geometry\.coordinates is missing/],
  ['an empty geometry', multiPolygon([]), /geometry\.coordinates is empty/],
  ['an empty polygon', multiPolygon([[]]), /geometry\.coordinates\.0 is empty/],
  ['coordinates that are no array', polygon('x'), /geometry\.coordinates must be an array of rings, not "x"/],
  ['a ring of three positions', ring(a, b, a), /coordinates\.0 must have at least 4 positions, .* not 3/],
  [
    'a ring that is not closed',
    ring(a, b, c, d),
    /not closed: its last position must equal its first, \[-122\.05, 44\.1\], but is \[-122\.05, 44\.12\]/,
  ],
  ['a ring of one place', ring(a, a, a, a), /encloses no area/],
  ['a ring along a line', ring([-122, 44], [-121.9, 44.1], [-121.8, 44.2], [-122, 44]), /no area/],
  [
    'a number in quotes',
    polygon([[a, ['-122', 44], c, a]]),
    /coordinates\.0\.1 must be \[longitude, latitude\] in numbers, not \["-122", 44\]/,
  ],
  [
    'a position of a number',
    polygon([[a, [-122], c, a]]),
    /coordinates\.0\.1 must be \[longitude, latitude\]/,
  ],
  ['positions without rings', polygon(FOREST_RING), /coordinates\.0\.0 must be \[longitude, .* not -122\.05/],
  ['a polygon as a multipolygon', multiPolygon([FOREST_RING]), /coordinates\.0\.0\.0 must be \[longitude/],
  [
    'projected coordinates',
    unit('bad', rectangle(500_000, 4_880_000, 500_100, 4_880_100)),
    /look projected, in metres or feet: convert them to WGS 84/,
  ],
  [
    'an edge around half the earth, as a hole',
    unit('bad', FOREST_RING, [a, [60, 44.1], c, a]),
    /the one to geometry\.coordinates\.1\.1 goes from -122\.05 to 60/,
  ],
  [
    'latitude first',
    ring(...FOREST_RING.map(([x, y]): Position => [y, x])),
    /is \[44\.1, -122\.05\].*swapped: GeoJSON puts the longitude first/,
  ],
  [
    'a longitude without its minus',
    ring(...FOREST_RING.map(([x, y]): Position => [-x, y])),
    /centroid.*Did you mean latitude 44\.11, longitude -122\.04\? It looks as if the minus/,
    'outside_coverage',
  ],
  [
    'a ring that crosses itself',
    ring(a, c, b, d, a),
    /crosses or touches itself near longitude -122\.04000, latitude 44\.11000: repair/,
  ],
  [
    'a hole outside',
    unit('bad', FOREST_RING, rectangle(-121, 44, -120.9, 44.1)),
    /a hole lies outside its polygon near longitude -121\.00000, latitude 44\.00000/,
  ],
  [
    'Idaho',
    unit('bad', rectangle(-116.3, 43.6, -116.2, 43.7)),
    /outside the coverage, which is Oregon and Washington/,
    'outside_coverage',
  ],
  [
    'the Alvord Desert',
    unit('bad', rectangle(-118.46, 42.52, -118.45, 42.53)),
    /No data point lies within 0\.8 km of the centroid, latitude 42\.525, longitude -118\.455/,
    'no_nearby_data',
  ],
];

test.each<Mistake>(MISTAKES)(
  '%s has its own error, alone and among other units',
  async (_, bad, message, code = 'invalid_request') => {
    const [alone] = await units([bad]);
    expect(alone).toMatchObject({ id: 'bad', error: { code, message: expect.stringMatching(message) } });
    expect(Object.keys(alone)).toEqual(['id', 'error']);
    const [first, among, last] = await units([unit('first', FOREST_RING), bad, unit(2, FOREST_RING)]);
    expect(among).toEqual(alone);
    expect(first).toMatchObject({ id: 'first', data_points: 9 });
    expect(last).toMatchObject({ id: 2, data_points: 9 });
  },
);

test('numbers beyond any double, positions with a height and very long outlines get clear answers', async () => {
  const text = (coordinates: string) =>
    `{"units":{"type":"FeatureCollection","features":[{"type":"Feature","id":1,"geometry":{"type":"Polygon","coordinates":${coordinates}}}]},"species_codes":["PSME"]}`;
  const post = async (coordinates: string) => {
    const response = await service.post('/v1/plan', text(coordinates));
    expect(response.status).toBe(200);
    return planResponseSchema.parse(await response.json()).units[0];
  };
  const infinite = await post('[[[-1e999,44],[-122,44],[-122,44.1],[-1e999,44]]]');
  expect(infinite).toMatchObject({
    error: { code: 'invalid_request', message: expect.stringContaining('-Infinity') },
  });
  const flat = await post(JSON.stringify([FOREST_RING]));
  expect(await post(JSON.stringify([FOREST_RING.map((position) => [...position, 850, 'm'])]))).toEqual(flat);
  const long = await post(JSON.stringify([tooLong]));
  expect(long).toMatchObject({
    error: { message: expect.stringContaining(`more than ${MAX_POSITIONS} positions`) },
  });
});

const WHOLE: readonly Mistake[] = [
  ['no units', { units: undefined }, /units must be a GeoJSON FeatureCollection, not nothing/],
  [
    'a geometry as units',
    { units: { type: 'Polygon' } },
    /units\.type must be "FeatureCollection", not "Polygon"/,
  ],
  ['no features', { units: { type: 'FeatureCollection' } }, /units\.features must be an array, not nothing/],
  ...['urn:ogc:def:crs:EPSG::4267', 'EPSG:26910', 4267].map((system): Mistake => {
    const properties = typeof system === 'string' ? { name: system } : { code: system };
    const units = { ...collection(unit(1)), crs: system === 'EPSG:26910' ? system : { properties } };
    const message = new RegExp(`units\\.crs must be WGS 84 \\(convert .*EPSG:4326\\), not "?${system}`);
    return [`units in ${system}`, { units }, message];
  }),
  ['a feature that is none', { units: collection(null) }, /features\.0 must be a GeoJSON Feature, not null/],
  [
    'an id that is null',
    { units: collection(unit(1), { ...unit(1), id: null }) },
    /units\.features\.1\.id must be a string or a finite number, not null/,
  ],
  [
    'an id twice',
    { units: collection(unit('x', FOREST_RING), unit(1), unit('x')) },
    /units\.features\.2\.id must be unique, but "x" is also the id of units\.features\.0/,
  ],
  ['elevation_m', { elevation_m: 800 }, /elevation_m cannot be used in a plan/],
  ['include', { include: ['intervals'] }, /include cannot be used in a plan/],
  [
    'a misspelt option',
    { species_code: ['PSME'], species_codes: undefined },
    /"species_code" is not a field: write species_codes/,
  ],
  ['horizons', { horizons: [5] }, /"horizons" is not a field: write horizon/],
  ['another horizon', { horizon: 2 }, /horizon must be one of 1, 3, 5, not 2/],
  ['an unknown species', { species_codes: ['QUAG'] }, /Did you mean QUGA/, 'invalid_species'],
  [
    'an unknown species and an unknown method',
    { species_codes: ['XXXX'], planting_methods: ['plane'] },
    /"XXXX"/,
    'invalid_species',
  ],
  ['an unknown method', { planting_methods: ['plane'] }, /not "plane"/, 'invalid_method'],
  [
    'a cost of nothing',
    { costs: { manual: 0, drone_seeded: 1 } },
    /costs\.manual must be a number above 0, .*not 0/,
  ],
  [
    'a cost that is missing and an unknown species',
    { costs: { manual: 1 }, species_codes: ['XXXX'] },
    /costs\.drone_seeded is missing/,
  ],
  [
    'a cost of another method',
    { costs: { manual: 1 }, planting_methods: ['drone_seeded'] },
    /: costs\.drone_seeded is missing: costs are given for every method\.$/,
  ],
  [
    'another cost',
    { costs: { manual: 1, drone_seeded: 1, drone: 1 } },
    /costs must not have "drone": its keys are manual, drone_seeded/,
  ],
  ['costs that are null', { costs: null }, /costs must be an object/],
  ['no tree as a target', { target_per_ha: 0 }, /target_per_ha must be a number above 0, .*not 0/],
  [
    'a target for an acre of grass',
    { target_per_ha: 100_001 },
    /target_per_ha must be .* at most 100000, not 100001/,
  ],
  ['a target in quotes', { target_per_ha: '400' }, /target_per_ha must be a number above 0, .*not "400"/],
  ['another basis', { target_per_ha: 400, basis: 'p10' }, /basis must be "mean" or "low", not "p10"/],
  ['a basis without a target', { basis: 'low' }, /basis requires target_per_ha: give both, or neither/],
  ['a target that is misspelt', { target_perha: 400 }, /target_perha.*target_per_ha/],
  ['an unknown condition', { conditions: { slop: 3 } }, /conditions must not have "slop"/],
  ['too much warming', { scenario: { warming_c: 20 } }, /scenario\.warming_c must be a number from -5 to 10/],
];

test.each<Mistake>(WHOLE)(
  '%s is an error of the whole request',
  async (_, change, message, code = 'invalid_request') => {
    const response = await service.post('/v1/plan', { ...PLAN_REQUEST, ...(change as object) });
    const error = await expectError(response, 422, code);
    expect(error.message).toMatch(message);
  },
);

test('a missing cost is reported before too many units', async () => {
  const many = { units: collection(...Array(501).fill(0)), costs: { manual: 1 } };
  const { message } = await expectError(await service.post('/v1/plan', many), 422, 'invalid_request');
  expect(message).toMatch(/costs\.drone_seeded is missing/);
});

test('every issue of the body is in the details', async () => {
  const response = await service.post('/v1/plan', { horizon: 2, costs: { manual: 1, drone_seeded: -1 } });
  const { details } = await expectError(response, 422, 'invalid_request');
  const issues = details?.issues as { path: string }[];
  expect(issues.map(({ path }) => path)).toEqual(['units', 'horizon', 'costs.drone_seeded']);
});

test('the error for a body that is not an object, or not JSON, says so', async () => {
  for (const [body, status, code, problem] of [
    ['[]', 422, 'invalid_request', /must be a JSON object, not an array of 0/],
    ['{"units":{', 400, 'invalid_json', /truncated after character 10/],
    ['{"units":[1,NaN]}', 400, 'invalid_json', /NaN at character 13/],
  ] as const)
    expect((await expectError(await service.post('/v1/plan', body), status, code)).message).toMatch(problem);
});

test('more units than the tier allows are batch_too_large with their count, valid or not', async () => {
  const { secret } = await service.issueKey('spore');
  const post = (count: number) =>
    service.post(
      '/v1/plan',
      {
        ...PLAN_REQUEST,
        units: collection(...Array.from({ length: count }, (_, i) => unit(i, FOREST_RING))),
      },
      { 'x-api-key': secret },
    );
  expect((await post(10)).status).toBe(200);
  const { details } = await expectError(await post(11), 422, 'batch_too_large');
  expect(details).toEqual({ submitted: 11, tier_limit: 10, tier: 'spore' });
  const many = { units: collection(...Array(50_000).fill(0)) };
  expect((await expectError(await service.post('/v1/plan', many), 422, 'batch_too_large')).details).toEqual({
    submitted: 50_000,
    tier_limit: 500,
    tier: 'hypha',
  });
});

test('more than 200,000 predictions are refused, with what to do', async () => {
  // 4 units of 1,000 points, 31 species and both methods.
  const features = [0, 1, 2, 3].map((i) =>
    unit(i, rectangle(-123.5, 43.2 + 0.2 * i, -121.5, 44.4 + 0.2 * i)),
  );
  const response = await service.post('/v1/plan', { units: collection(...features), native_only: false });
  const { message } = await expectError(response, 422, 'invalid_request');
  expect(message).toMatch(/more than 200000 predictions.*send fewer units, species or methods/);
  const fewer = await service.post('/v1/plan', {
    ...PLAN_REQUEST,
    units: collection(...features),
    native_only: false,
  });
  expect(fewer.status).toBe(200);
});

test('a body may have PLAN_LIMIT_BYTES with a hypha key and BODY_LIMIT_BYTES with any other', async () => {
  const padded = (bytes: number) => {
    const text = JSON.stringify(PLAN_REQUEST);
    return text + ' '.repeat(bytes - text.length);
  };
  const { secret } = await service.issueKey('mycel');
  const other = { 'x-api-key': secret };
  const { bodyLimitBytes } = service.config;
  expect((await service.post('/v1/plan', padded(PLAN_LIMIT_BYTES))).status).toBe(200);
  expect((await service.post('/v1/plan', padded(bodyLimitBytes), other)).status).toBe(200);
  for (const [limit_bytes, headers] of [
    [PLAN_LIMIT_BYTES, {}],
    [bodyLimitBytes, other],
  ] as const) {
    const error = await expectError(
      await service.post('/v1/plan', padded(limit_bytes + 1), headers),
      413,
      'payload_too_large',
    );
    expect(error.details).toEqual({ limit_bytes });
  }
});

/** A plan of units with these ids, as they are written in its body. */
function postIds(...ids: readonly string[]): Promise<Response> {
  const geometry = JSON.stringify({ type: 'Polygon', coordinates: [FOREST_RING] });
  const features = ids.map((id) => `{"type":"Feature","id":${id},"geometry":${geometry}}`);
  const units = `{"type":"FeatureCollection","features":[${features.join()}]}`;
  return service.post('/v1/plan', `{"units":${units},"species_codes":["PSME"]}`);
}

test.each(['9007199254740993', '-9007199254740993', '123456789012345678', '1e300'])(
  'the id %s, an integer that JSON parsers round, is refused',
  async (id) => {
    const { message, details } = await expectError(await postIds('1', id), 422, 'invalid_request');
    expect(message).toContain('units.features.1.id is an integer beyond 9007199254740991');
    expect(details).toMatchObject({ issues: [{ path: 'units.features.1.id' }] });
  },
);

test('numeric ids that a double holds come back with their value, and string ids with their digits', async () => {
  const ids = [
    '0.0',
    '-7',
    '9007199254740991',
    '-9007199254740991',
    '1.5',
    '1e3',
    '0.30000000000000004',
    '2.5000000000000000000',
    '1234567890123456.0',
    '9007199254740990.0',
    '1.2345678901234568e-05',
    '1E+2',
  ];
  const texts = ['"9007199254740993"', '"9007199254740992"', '"1"'];
  const response = await postIds(...ids, ...texts);
  expect(response.status).toBe(200);
  const { units } = planResponseSchema.parse(await response.json());
  expect(units.map(({ id }) => id)).toEqual([...ids.map(Number), ...texts.map((text) => JSON.parse(text))]);
});

test('an id of more than 4096 bytes is refused as too long', async () => {
  const { message } = await expectError(await postIds(`"${'x'.repeat(4095)}"`), 422, 'invalid_request');
  expect(message).toContain('units.features.0.id must have at most 4096 bytes');
  expect((await postIds(`"${'x'.repeat(4094)}"`)).status).toBe(200);
});
