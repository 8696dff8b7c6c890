import editDistance from 'damerau-levenshtein';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LARGEST_BATCH_SITES } from '../../src/config.js';
import type { ErrorObject } from '../../src/formats/errors/api-error.js';
import { requestReader } from '../../src/formats/request/request-reader.js';
import { requestSchemas } from '../../src/formats/request/schemas.js';
import { speciesCatalogue } from '../../src/prediction/artefacts/species.js';
import { INCLUDES, PLANTING_METHODS, type PlantingMethod } from '../../src/prediction/dimensions.js';
import { OPTION, type SiteRows } from '../../src/prediction/site-rows.js';
import type { PlainOptions } from '../../testing/oracle/plain-climate.js';
import { readPredictorData } from '../../testing/project.js';
import { horizonSet } from '../prediction/support/site-requests.js';
import { forAll } from '../support/for-all.js';
import { COMPARE_REQUEST, PREDICT_REQUEST } from '../support/requests.js';

const data = readPredictorData();
const species = speciesCatalogue(data.species);
const HYPHA = { tier: 'hypha', max: LARGEST_BATCH_SITES };
const reader = requestReader(data);
const schema = requestSchemas(data).prediction;
const OPTIONS = ['horizons', 'elevation_m', 'conditions', 'scenario', 'include'];

type Row = readonly number[];
type Failure = { readonly code: string; readonly latitude: number | null; readonly longitude: number | null };

/** The row or the error of an entry, by the schema and an edit distance from a library. */
function expectedEntry(entry: unknown): Row | Failure {
  const coordinate = (name: string) => {
    const value: unknown =
      Array.isArray(entry) || Object(entry) !== entry ? null : (entry as Record<string, unknown>)[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  const failure = (code: string) => ({
    code,
    latitude: coordinate('latitude'),
    longitude: coordinate('longitude'),
  });
  const { data: fields } = schema.safeParse(entry);
  if (fields === undefined || isMisspelt(entry as object)) return failure('invalid_request');
  const index = species.indexOf(fields.species_code);
  if (index === -1) return failure('invalid_species');
  const method = PLANTING_METHODS.indexOf(fields.planting_method as PlantingMethod);
  if (method === -1) return failure('invalid_method');
  return [
    ...[fields.latitude, fields.longitude, index, method, horizonSet(fields.horizons ?? [1, 3, 5])],
    ...optionsOf(fields as PlainOptions),
  ];
}

/** The bits of `include`, then the values that the caller stated of the site, NaN for absent ones. */
function optionsOf({ elevation_m, scenario, conditions, include = [] }: PlainOptions): number[] {
  return [
    INCLUDES.reduce((set, word) => set + (include.includes(word) ? OPTION[word] : 0), 0),
    elevation_m,
    scenario?.warming_c,
    scenario?.precipitation_change_percent,
    ...data.manifest.features.map(({ name }) => conditions?.[name]),
  ].map(Number);
}

function isMisspelt(entry: object): boolean {
  return Object.keys(entry).some((name) => {
    const characters = name.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?'); // the library counts them as two
    if (name === 'condition') return false;
    return OPTIONS.some(
      (option) => !Object.hasOwn(entry, option) && editDistance(characters, option).steps === 1,
    );
  });
}

/** The row or the error of each entry of a batch, by the reader. */
function actual(text: string): (Row | Failure)[] {
  const { total, rows, failed } = reader.readBatch(Buffer.from(text), HYPHA);
  let row = 0;
  const outcome = Array.from({ length: total }, (_, entry): Row | Failure => {
    const failure = failed.get(entry);
    if (failure === undefined) return rowOf(rows, row++);
    return { code: failure.error.code, latitude: failure.latitude, longitude: failure.longitude };
  });
  expect(rows.count).toBe(row);
  return outcome;
}

function rowOf(rows: SiteRows, row: number): Row {
  const { latitude, longitude, species, method, horizons, options, adjustments, width } = rows;
  const numbers = adjustments.slice(row * width, (row + 1) * width);
  return [
    ...[latitude, longitude, species, method, horizons].map((column) => column[row]),
    options[row] & ~OPTION.adjusted,
    ...((options[row] & OPTION.adjusted) === 0 ? optionsOf({}).slice(1) : numbers),
  ];
}

const anyJson = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value));
const oneOf = (jsons: string) => fc.constantFrom(...jsons.split(' '));
/** A value that is right more often than not. */
const mostly = (right: fc.Arbitrary<string>, wrong: string) =>
  fc.oneof(
    { weight: 30, arbitrary: right },
    { weight: 2, arbitrary: oneOf(wrong) },
    { weight: 1, arbitrary: anyJson },
  );
const degrees = (limit: number) =>
  mostly(
    fc.oneof(
      fc.double({ min: -limit, max: limit, noNaN: true }).map(String),
      oneOf('0 -0 90 -90.0 1e1 4412E-2 1e-400 5e-324'),
    ),
    '1e999 -1e999 "44" null 181 -180.00000000000003 9007199254740993',
  );
const FIELDS = {
  latitude: degrees(90),
  longitude: degrees(180),
  species_code: mostly(oneOf('"PSME" "TSHE"'), '"psme" "PSMEX" "" 5'),
  planting_method: mostly(oneOf('"manual" "drone_seeded"'), '"Manual" "manua" null'),
};
const OPTION_FIELDS = {
  horizons: mostly(oneOf('[1] [5,3,5] [1,3] [1.0] [1e0]'), '[] [2] [[1]] null'),
  elevation_m: mostly(oneOf('850 -100 4400.0 12.5e2'), '4400.01 -101 1e999 "850" null [] {}'),
  conditions: mostly(
    oneOf('{} {"vpd_max":12.5} {"crown_ratio":40,"vpd_max":7}'),
    '{"vpd_max":51} {"vpd":5} {"vpd_max":"5"} {"vpd_max":null} {"__proto__":1} null [] {"":1}',
  ),
  scenario: mostly(
    oneOf('{} {"warming_c":2} {"precipitation_change_percent":-80,"warming_c":-0}'),
    '{"warming_c":10.1} {"warming":2} {"precipitation_change_percent":true} null 2 {"warming_c":1e999}',
  ),
  include: mostly(oneOf('[] ["site"] ["site","intervals","site"]'), '["sites"] [1] "site" null {}'),
};
/** Names of unknown fields: some similar to known ones, some with a meaning to V8. */
const tagName = fc.oneof(
  oneOf('plot latitud Latitude condition elevation __proto__ constructor 0'),
  oneOf('horizon horizonts hroizons horizóns horizon💥 horizo elevation_ elevations conditons scenarios'),
  fc.string({ maxLength: 10 }),
);
const absentMostly = Object.fromEntries(
  Object.entries(OPTION_FIELDS).map(([name, value]) => [name, fc.option(value, { nil: undefined, freq: 1 })]),
);
const site = fc
  .tuple(
    fc.record({ ...FIELDS, ...absentMostly }, { noNullPrototype: true }),
    fc.array(fc.tuple(tagName, anyJson), { maxLength: 2 }),
    fc.option(fc.constantFrom(...Object.keys(FIELDS)), { nil: undefined, freq: 1 }),
  )
  .map(([fields, tags, absent]) => {
    const members = [...Object.entries(fields), ...tags].filter(
      ([name, value]) => value !== undefined && name !== absent,
    );
    return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
  });
const entry = fc.oneof({ weight: 9, arbitrary: site }, { weight: 1, arbitrary: anyJson });

test('the loop that reads a batch finds the same rows, errors and coordinates as the schema', () => {
  let rows = 0;
  const codes = new Set<string>();
  forAll({ short: 1000, long: 100_000 }, [fc.array(entry, { maxLength: 4 })], (entries) => {
    const text = `{"requests":[${entries.join()}]}`;
    const { requests } = JSON.parse(text) as { requests: unknown[] };
    const outcome = requests.map(expectedEntry);
    expect(actual(text)).toEqual(outcome);
    for (const element of outcome) 'code' in element ? codes.add(element.code) : rows++;
  });
  expect(rows).toBeGreaterThan(200);
  expect([...codes].sort()).toEqual(['invalid_method', 'invalid_request', 'invalid_species']);
});

test('a single site is read as the same entry of a batch, for a comparison without its planting method', () => {
  forAll({ short: 500, long: 50_000 }, [entry], (text) => {
    const [element] = actual(`{"requests":[${text}]}`);
    const read = (kind: 'prediction' | 'comparison') => {
      const reading = reader.readSite(Buffer.from(text), kind);
      return 'code' in reading ? reading.code : rowOf(reading, 0);
    };
    const outcome = 'code' in element! ? element.code : element!;
    expect(read('prediction')).toEqual(outcome);
    const comparison = read('comparison');
    if (typeof outcome !== 'string') expect(comparison).toEqual(outcome.with(3, PLANTING_METHODS.length));
    else if (outcome === 'invalid_species') expect(comparison).toEqual(outcome);
  });
});

/** The error of a valid prediction request with these fields added or replaced. */
function errorWith(fields: object, by = reader): ErrorObject | undefined {
  const read = by.readSite(Buffer.from(JSON.stringify({ ...PREDICT_REQUEST, ...fields })), 'prediction');
  return 'code' in read ? read : undefined;
}

test.each([
  ['2 or 10', [2, 10]],
  ['2', [2]],
  ['"3", null, an array of 2, an object or 2.5', [1, '3', 5, null, [1, 1], { a: 1 }, 2.5]],
  ['2, 2, 2, 2, 2 or 395 more', Array(400).fill(2)],
])('the message for wrong horizons names each of them, or the first five of many: %s', (named, horizons) => {
  const message = `each horizon must be one of 1, 3, 5, not ${named}`;
  expect(errorWith({ horizons })).toEqual({
    code: 'invalid_request',
    message: `The request is not valid: ${message}.`,
    details: { issues: [{ path: 'horizons', message }] },
  });
});

test.each(['horizon', 'Horizons', 'horizonss', 'hroizons', 'horizóns', 'horiz\nns'])(
  'a field %j, one edit from an option that is absent, is an invalid request that names both',
  (name) => {
    const message = `${JSON.stringify(name)} is not a field: write horizons, or rename it if it is a tag of your own`;
    const error = {
      code: 'invalid_request',
      message: `The request is not valid: ${message}.`,
      details: { issues: [{ path: name, message }] },
    };
    expect(errorWith({ [name]: [1] })).toEqual(error);
    const comparison = Buffer.from(JSON.stringify({ ...COMPARE_REQUEST, [name]: 1 }));
    expect(reader.readSite(comparison, 'comparison')).toEqual(error);
    const batch = Buffer.from(
      JSON.stringify({ requests: [{ ...PREDICT_REQUEST, [name]: 1 }, PREDICT_REQUEST] }),
    );
    const { failed, rows } = reader.readBatch(batch, HYPHA);
    expect([...failed]).toEqual([[0, { error, latitude: 44.12, longitude: -122.03 }]]);
    expect(rows.count).toBe(1);
  },
);

test.each([
  ['horizon', { horizon: 1, horizons: [1] }],
  ['horizo', { horizo: 1 }],
  ['condition', { condition: 'dry' }],
  ['elevation', { elevation: 300 }],
  ['latitud', { latitud: 1 }],
  ['requests', { requests: [] }],
])('a field %s of the caller is ignored where it can be no misspelt option: %j', (_name, fields) => {
  expect(errorWith(fields)).toBeUndefined();
});

test('a misspelt option is reported together with the other errors in the shape of the request', () => {
  expect(errorWith({ latitude: null, horizon: [1] })?.details).toEqual({
    issues: [
      { path: 'latitude', message: expect.stringContaining('latitude') },
      { path: 'horizon', message: expect.stringContaining('horizons') },
    ],
  });
});

test('elevation_m is an invalid request that says why if the grid has no lapse rates', () => {
  const { elevation } = data.grid.columns;
  const without = requestReader({ ...data, grid: { ...data.grid, columns: { elevation } } });
  const message = 'elevation_m cannot be used: the data of this service have no lapse rates';
  expect(errorWith({ elevation_m: 850 }, without)).toEqual({
    code: 'invalid_request',
    message: `The request is not valid: ${message}.`,
    details: { issues: [{ path: 'elevation_m', message }] },
  });
  expect(errorWith({ scenario: { warming_c: 1 } }, without)).toBeUndefined();
});
