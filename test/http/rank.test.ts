import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/formats/errors/api-error.js';
import { rankingResponseSchema } from '../../src/http/response/schemas.js';
import { PLANTING_METHODS } from '../../src/prediction/dimensions.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { expectError } from '../support/error-body.js';
import { amount } from '../support/length.js';
import { FOREST_SITE, NO_NEARBY_DATA, OUTSIDE_COVERAGE } from '../support/requests.js';
import { sharedService } from '../support/service.js';

type RankingResult = ReturnType<typeof rankingResponseSchema.parse>;
type Entry = RankingResult['ranking'][number];

interface Options {
  readonly species_codes?: readonly string[];
  readonly planting_methods?: readonly string[];
  readonly native_only?: boolean;
  readonly horizons?: readonly number[];
  readonly conditions?: object;
  readonly scenario?: object;
  readonly include?: readonly string[];
}
type RankRequest = Options & typeof FOREST_SITE;

const { grid, manifest } = readPredictorData();

const service = await sharedService();

const post = (body: unknown) => service.post('/v1/predict/rank', body);

async function rank(body: object): Promise<RankingResult> {
  const response = await post(body);
  const result = (await response.json()) as RankingResult;
  expect(response.status, JSON.stringify(result)).toBe(200);
  return rankingResponseSchema.parse(result);
}

const what = ({ species_code, planting_method }: Entry) => `${species_code} ${planting_method}`;

/** The ranking of a request by its definition: filtered and sorted single predictions of every species and method. */
async function sortedPredictions(request: RankRequest): Promise<{ site: object; ranking: object[] }> {
  const { species_codes, planting_methods, native_only = true, ...rest } = request;
  const include = [...(rest.include ?? []), 'site'];
  // Repeats collapse.
  const methods = [...new Set(planting_methods ?? PLANTING_METHODS)];
  const choices = [...new Set(species_codes ?? manifest.species)].flatMap((species_code) =>
    methods.map((planting_method) => ({ species_code, planting_method })),
  );
  const answers = await Promise.all(
    choices.map(async (choice) => {
      const response = await service.post('/v1/predict', { ...rest, ...choice, include });
      return (await response.json()) as Entry & { site: { in_native_range: boolean } };
    }),
  );
  const survival = ({ predictions }: Entry) => predictions.at(-1)!.survival_probability;
  const ranking = answers
    .filter(({ site }) => !native_only || site.in_native_range)
    .toSorted((a, b) => {
      if (survival(a) !== survival(b)) return survival(b) - survival(a);
      if (a.species_code !== b.species_code) return a.species_code < b.species_code ? -1 : 1;
      return a.planting_method === 'manual' ? -1 : 1;
    })
    .map(({ site, species_code, species_common_name, planting_method, predictions }, i) => ({
      rank: i + 1,
      species_code,
      species_common_name,
      planting_method,
      in_native_range: site.in_native_range,
      predictions,
    }));
  const { in_native_range, ...site } = answers[0]!.site;
  return { site, ranking };
}

const OPTIONS: readonly Options[] = [
  {},
  { native_only: false },
  { horizons: [3, 1, 3] },
  { planting_methods: ['drone_seeded', 'drone_seeded'], species_codes: ['PSME', 'TSHE', 'PIPO', 'PSME'] },
  { include: ['intervals', 'explanation', 'site'], species_codes: ['ABAM', 'PSME', 'ABGR'] },
  { include: ['intervals'], native_only: false, horizons: [5] },
  { scenario: { warming_c: 3, precipitation_change_percent: -20 }, conditions: { vpd_max: 14 } },
  { include: ['explanation'], scenario: { warming_c: -2 } },
];

test('a ranking equals the single predictions of its species and methods, to the last digit, sorted by survival', async () => {
  const random = seededRandom(77);
  const count = amount({ short: OPTIONS.length, long: 200 });
  let listed = 0;
  for (let i = 0; i < count; i++) {
    const { latitude, longitude } = placeOf(grid, Math.floor(random() * grid.pointCount));
    const place = { latitude: latitude + 0.002 * random(), longitude: longitude - 0.002 * random() };
    const request = { ...place, ...OPTIONS[i % OPTIONS.length] };
    const expected = await sortedPredictions(request);
    const { site, ranking, horizon_years } = await rank(request);
    expect(horizon_years).toBe(Math.max(...(request.horizons ?? [5])));
    expect(ranking).toEqual(expected.ranking);
    // The fields of `include`, in addition to those that every site has.
    const own = request.include?.includes('site') ? {} : expected.site;
    expect({ ...own, ...site }).toEqual(expected.site);
    listed += ranking.length;
  }
  expect(listed).toBeGreaterThan(count * 5);
});

test('species of equal survival are ordered by code, then manual first', async () => {
  // Far beyond the training sites, where many survivals are 0.
  const request = { ...FOREST_SITE, native_only: false, scenario: { warming_c: 10 } };
  const { ranking } = await rank({ ...request, conditions: { vpd_max: 50 } });
  const ties = ranking.slice(1).map((entry, i): [Entry, Entry] => [ranking[i], entry]);
  const survival = ({ predictions }: Entry) => predictions.at(-1)!.survival_probability;
  const equal = ties.filter(([a, b]) => survival(a) === survival(b));
  expect(equal.length).toBeGreaterThan(0);
  for (const [a, b] of equal) {
    if (a.species_code === b.species_code)
      expect([a.planting_method, b.planting_method]).toEqual(['manual', 'drone_seeded']);
    else expect(a.species_code < b.species_code).toBe(true);
  }
});

test('a ranking has exactly the documented fields, in the documented order', async () => {
  const answer = await rank({ ...FOREST_SITE, include: ['site'] });
  expect(Object.keys(answer).join(' ')).toBe('site horizon_years ranking model generated_at');
  expect(Object.keys(answer.site).slice(6)).toEqual(['matched_elevation_m', 'outside_training']);
  expect(Object.keys(answer.ranking[0]).join(' ')).toBe(
    'rank species_code species_common_name planting_method in_native_range predictions',
  );
});

test('species whose native range excludes the matched point are listed only if native_only is false', async () => {
  const all = await rank({ ...FOREST_SITE, native_only: false });
  expect(all.ranking).toHaveLength(manifest.species.length * PLANTING_METHODS.length);
  const native = await rank(FOREST_SITE);
  const listed = all.ranking.filter(({ in_native_range }) => in_native_range);
  expect(native.ranking.map(what)).toEqual(listed.map(what));
  expect(native.ranking.every(({ in_native_range }) => in_native_range)).toBe(true);
  const foreign = all.ranking.find(({ in_native_range }) => !in_native_range)!.species_code;
  const none = await rank({ ...FOREST_SITE, species_codes: [foreign], include: ['site'] });
  expect(none.ranking).toEqual([]);
  expect(none.site.matched_latitude).toBe(native.site.matched_latitude);
  const { ranking } = await rank({ ...FOREST_SITE, species_codes: [foreign], native_only: false });
  expect(ranking.map(({ species_code }) => species_code)).toEqual([foreign, foreign]);
});

const speciesList = (value: string) =>
  `species_codes must be a non-empty array of species codes, not ${value}`;
const methodList = (value: string) =>
  `planting_methods must be a non-empty array of manual, drone_seeded, not ${value}`;
const misspelt = (name: string, option: string) =>
  `"${name}" is not a field: write ${option}, or rename it if it is a tag of your own`;

test.each([
  ['"latitude":"44"', 'latitude', 'latitude must be a number from -90 to 90, not "44"'],
  ['"longitude":181', 'longitude', 'longitude must be a number from -180 to 180, not 181'],
  ['"horizons":[2]', 'horizons', 'each horizon must be one of 1, 3, 5, not 2'],
  ['"species_codes":null', 'species_codes', speciesList('null')],
  ['"species_codes":[]', 'species_codes', speciesList('an array of 0')],
  ['"species_codes":"PSME"', 'species_codes', speciesList('"PSME"')],
  [
    '"species_codes":["PSME",1,null,["X"]]',
    'species_codes',
    'each species code must be a string such as "PSME", not 1, null or an array of 1',
  ],
  [
    `"species_codes":["PSME"${',"PSME"'.repeat(1000)}]`,
    'species_codes',
    'species_codes must have at most 1000 elements, not 1001',
  ],
  ['"species_code":"PSME"', 'species_code', misspelt('species_code', 'species_codes')],
  ['"planting_methods":null', 'planting_methods', methodList('null')],
  ['"planting_methods":[]', 'planting_methods', methodList('an array of 0')],
  [
    `"planting_methods":[1${',1'.repeat(1000)}]`,
    'planting_methods',
    'planting_methods must have at most 1000 elements, not 1001',
  ],
  ['"planting_methods":"manual"', 'planting_methods', methodList('"manual"')],
  ['"planting_method":"manual"', 'planting_method', misspelt('planting_method', 'planting_methods')],
  ['"native_only":null', 'native_only', 'native_only must be true or false, not null'],
  ['"native_only":"false"', 'native_only', 'native_only must be true or false, not "false"'],
  ['"native_only":0', 'native_only', 'native_only must be true or false, not 0'],
  ['"nativ_only":true', 'nativ_only', misspelt('nativ_only', 'native_only')],
])('a ranking with %s is an invalid request that says so', async (field, path, message) => {
  const { latitude, longitude } = FOREST_SITE;
  const body = `{"latitude":${latitude},"longitude":${longitude},${field}}`;
  const { details, ...error } = await expectError(await post(body), 422, 'invalid_request');
  expect(details).toEqual({ issues: [{ path, message }] });
  expect(error.message).toBe(`The request is not valid: ${message}.`);
});

test.each(['[]', '7', 'null', '"x"'])('the body %s is an invalid request', async (body) => {
  await expectError(await post(body), 422, 'invalid_request');
});

test('an unknown species code is invalid_species, with the closest one', async () => {
  const response = await post({ ...FOREST_SITE, species_codes: ['PSME', 'QUAG', 'XXXX'] });
  const { message, details } = await expectError(response, 422, 'invalid_species');
  expect(message).toContain('QUGA (Oregon white oak)');
  expect(details).toEqual({ suggestion: expect.stringContaining('GET /v1/species') });
});

test.each(['broadcast', 'MANUAL', null, 1, ['manual'], {}])(
  'an element %j of planting_methods is invalid_method',
  async (method) => {
    const response = await post({ ...FOREST_SITE, planting_methods: ['manual', method] });
    const { message } = await expectError(response, 422, 'invalid_method');
    expect(message).toMatch(/^each of planting_methods must be "manual" or "drone_seeded", not/);
  },
);

const place = ({ latitude, longitude }: typeof FOREST_SITE) => ({ latitude, longitude });
const WRONG_SHAPE = { native_only: 1 };
const WRONG_SPECIES = { species_codes: ['XXXX'] };
const WRONG_METHOD = { planting_methods: ['broadcast'] };
const TOO_HIGH = { elevation_m: 4400 };
test.each<[string, ErrorCode, object]>([
  ['shape before species', 'invalid_request', { ...FOREST_SITE, ...WRONG_SHAPE, ...WRONG_SPECIES }],
  ['shape before coverage', 'invalid_request', { ...place(OUTSIDE_COVERAGE), ...WRONG_SHAPE }],
  ['species before method', 'invalid_species', { ...FOREST_SITE, ...WRONG_SPECIES, ...WRONG_METHOD }],
  ['method before coverage', 'invalid_method', { ...place(OUTSIDE_COVERAGE), ...WRONG_METHOD }],
  ['coverage before elevation', 'outside_coverage', { ...place(OUTSIDE_COVERAGE), ...TOO_HIGH }],
  ['nearby data before elevation', 'no_nearby_data', { ...place(NO_NEARBY_DATA), ...TOO_HIGH }],
  ['elevation', 'elevation_mismatch', { ...FOREST_SITE, ...TOO_HIGH }],
])('a ranking is checked for %s', async (_order, code, body) => {
  await expectError(await post(body), 422, code);
});
