import editDistance from 'damerau-levenshtein';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LARGEST_BATCH_SITES } from '../../src/accounts/tiers.js';
import { optionRulesOf } from '../../src/formats/request/options.js';
import { RequestReader } from '../../src/formats/request/request-reader.js';
import { requestSchemas } from '../../src/formats/request/schemas.js';
import { SpeciesCatalogue } from '../../src/prediction/artefacts/species.js';
import { INCLUDES, PLANTING_METHODS, type PlantingMethod } from '../../src/prediction/dimensions.js';
import { ApiError, type ErrorObject } from '../../src/prediction/errors/api-error.js';
import { OPTION, type SiteRows } from '../../src/prediction/site-rows.js';
import type { PlainOptions } from '../../testing/oracle/plain-climate.js';
import { readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { horizonSet } from '../prediction/support/site-requests.js';
import { amount } from '../support/length.js';
import { COMPARE_REQUEST, PREDICT_REQUEST } from '../support/requests.js';

const data = readPredictorData();
const species = new SpeciesCatalogue(data.species);
const HYPHA = { tier: 'hypha', sites: LARGEST_BATCH_SITES };
const reader = new RequestReader({ artefacts: data, searchRadiusKm });
const schema = requestSchemas(optionRulesOf(data)).prediction;
const OPTIONS = ['horizons', 'elevation_m', 'conditions', 'scenario', 'include'];

type Row = readonly number[];
type Failure = { readonly code: string; readonly latitude: number | null; readonly longitude: number | null };

/** What a batch is: the code of the error of the whole, or of each entry its row or its error. */
type Outcome = string | readonly (Row | Failure)[];

/** What JSON.parse, the schema and an edit distance from a library make of a body. */
function expected(text: string): Outcome {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'invalid_json';
  }
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const requests =
    isObject && Object.hasOwn(body as object, 'requests') ? (body as { requests: unknown }).requests : 0;
  if (!Array.isArray(requests)) return 'invalid_request';
  if (requests.length > LARGEST_BATCH_SITES) return 'batch_too_large';
  return requests.map(expectedEntry);
}

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

/** What is asked for as bits, then what is stated of the site, NaN for what is not. */
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

/** What the reader makes of a body. */
function actual(text: string): Outcome {
  try {
    const { total, rows, failed } = reader.readBatch(Buffer.from(text), HYPHA);
    let row = 0;
    const outcome = Array.from({ length: total }, (_, entry): Row | Failure => {
      const failure = failed.get(entry);
      if (failure === undefined) return rowOf(rows, row++);
      return { code: failure.error.code, latitude: failure.latitude, longitude: failure.longitude };
    });
    expect(rows.count).toBe(row);
    return outcome;
  } catch (error) {
    if (error instanceof ApiError) return error.error.code;
    throw error;
  }
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

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r ');
const anyJson = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value));
/** A value that is right more often than not. */
const mostly = (right: fc.Arbitrary<string>, ...wrong: string[]) =>
  fc.oneof(
    { weight: 30, arbitrary: right },
    { weight: 2, arbitrary: fc.constantFrom(...wrong) },
    { weight: 1, arbitrary: anyJson },
  );
/** Numbers as callers write them, and as nobody should. */
const degrees = (limit: number) =>
  mostly(
    fc.oneof(
      fc.double({ min: -limit, max: limit, noNaN: true }).map(String),
      fc.double({ min: -limit, max: limit, noNaN: true }).map((value) => value.toFixed(7)),
      fc
        .tuple(fc.integer({ min: -limit + 1, max: limit - 1 }), fc.stringMatching(/^\d{1,25}$/))
        .map(([whole, decimals]) => `${whole}.${decimals}`),
      fc.constantFrom('0', '-0', '90', '-90.0', '1e1', '4412E-2', '1e-400', '5e-324'),
    ),
    ...['01', '.5', '5.', '-', '+1', 'NaN', '1e999', '-1e999', '"44"', 'null', '181', '-180.00000000000003'],
    '9007199254740993',
  );
const FIELDS = {
  latitude: degrees(90),
  longitude: degrees(180),
  species_code: mostly(
    fc.constantFrom('"PSME"', '"TSHE"', '"PSM\\u0045"'),
    '"psme"',
    '"PSMEX"',
    '""',
    '5',
    '"QUGA',
  ),
  planting_method: mostly(
    fc.constantFrom('"manual"', '"drone_seeded"', '"manu\\u0061l"'),
    ...['"Manual"', '"manua"', '"manual', 'null'],
  ),
  horizons: mostly(
    fc.constantFrom('[1]', '[5,3,5]', '[ 1 , 3 ]', '[1.0]', '[1e0]'),
    '[]',
    '[2]',
    '[1,]',
    '[[1]]',
  ),
};
/** Options that are right more often than not, by themselves. */
const OPTION_FIELDS = {
  elevation_m: mostly(
    fc.constantFrom('850', '-100', '4400.0', '12.5e2'),
    ...['4400.01', '-101', '1e999', '"850"', 'null', '[]', '{}'],
  ),
  conditions: mostly(
    fc.constantFrom(
      '{}',
      '{"vpd_max":12.5}',
      '{"crown_ratio":40,"vpd_max":7,"vpd_max":8}',
      '{"vpd_m\\u0061x":9}',
    ),
    ...[
      '{"vpd_max":51}',
      '{"vpd":5}',
      '{"vpd_max":"5"}',
      '{"vpd_max":null}',
      '{"__proto__":1}',
      'null',
      '[]',
      '{"":1}',
    ],
  ),
  scenario: mostly(
    fc.constantFrom('{}', '{"warming_c":2}', '{ "precipitation_change_percent" : -80 , "warming_c":-0}'),
    ...[
      '{"warming_c":10.1}',
      '{"warming":2}',
      '{"precipitation_change_percent":true}',
      'null',
      '2',
      '{"warming_c":1e999}',
    ],
  ),
};
/** Names of fields that the interface does not know, with escapes, near to the ones it does, and with a meaning to V8. */
const tagName = fc.oneof(
  fc.constantFrom(
    'plot',
    'note',
    'latitud',
    'Latitude',
    'condition',
    'elevation',
    '__proto__',
    'constructor',
    '0',
    '',
  ),
  fc.constantFrom(
    'horizon',
    'horizonts',
    'hroizons',
    'horizóns',
    'horizon💥',
    '\\u0068orizon',
    'horizo',
    'horizo\\n',
    'elevation_',
    'elevations',
    'conditons',
    'scenarios',
  ),
  fc.string({ maxLength: 10 }).map((name) => JSON.stringify(name).slice(1, -1)),
);
const tag = fc.tuple(tagName, anyJson).map(([name, value]) => [name, value] as const);
/** Spells some letters of a name as escapes. */
const spelling = (name: string) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(name) },
    {
      weight: 1,
      arbitrary: fc.constant(`\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`),
    },
  );
const member = fc.oneof(
  { weight: 2, arbitrary: tag },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...(Object.keys(FIELDS) as (keyof typeof FIELDS)[]))
      .chain((name) => fc.tuple(spelling(name), FIELDS[name])),
  },
);
const absentMostly = Object.fromEntries(
  Object.entries(OPTION_FIELDS).map(([name, value]) => [name, fc.option(value, { nil: undefined, freq: 1 })]),
);
const entryOf = (horizons: fc.Arbitrary<string | undefined>) =>
  fc
    .tuple(
      fc.record({ ...FIELDS, horizons, ...absentMostly }, { noNullPrototype: true }),
      fc.array(member, { maxLength: 2 }),
      fc.nat(),
      space,
    )
    .map(([fields, extra, shift, gap]) => {
      const known = Object.entries(fields).filter(([, value]) => value !== undefined);
      const members = [...known, ...extra];
      const shifted = members.map((_, i) => members[(i + shift) % members.length]);
      return `{${gap}${shifted.map(([name, value]) => `"${name}"${gap}:${gap}${value}`).join(`${gap},${gap}`)}${gap}}`;
    });
const entry = fc.oneof(
  { weight: 9, arbitrary: entryOf(fc.option(FIELDS.horizons, { nil: undefined })) },
  { weight: 1, arbitrary: anyJson },
);
const requests = fc.array(entry, { maxLength: 4 }).map((entries) => `[${entries.join(', ')}]`);
const body = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.constantFrom('requests', 'requests', 'requests', 'r\\u0065quests', 'tag', 'request'),
        fc.oneof(requests, requests, anyJson),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    space,
    fc.constantFrom('', '', '', '', '', '', ',', ' x', '\0', '}'),
  )
  .map(([members, gap, tail]) => {
    const texts = members.map(([name, value]) => `${gap}"${name}"${gap}:${gap}${value}`);
    return `${gap}{${texts.join(`${gap},`)}${gap}}${gap}${tail}`;
  });

test('a batch is read as JSON.parse and the schema read it: the same rows, errors and coordinates', () => {
  let rows = 0;
  const codes = new Set<string>();
  fc.assert(
    fc.property(body, (text) => {
      const outcome = expected(text);
      expect(actual(text)).toEqual(outcome);
      if (typeof outcome === 'string') codes.add(outcome);
      else for (const element of outcome) 'code' in element ? codes.add(element.code) : rows++;
    }),
    { numRuns: amount({ short: 3000, long: 100_000 }) },
  );
  expect(rows).toBeGreaterThan(500);
  expect([...codes].sort()).toEqual(['invalid_json', 'invalid_method', 'invalid_request', 'invalid_species']);
});

test('a single site is read as the same entry of a batch, for a comparison without its planting method', () => {
  fc.assert(
    fc.property(entry, (text) => {
      const [element] = [actual(`{"requests":[${text}]}`)].flat();
      const read = (kind: 'prediction' | 'comparison') => {
        try {
          const reading = reader.readSite(Buffer.from(text), kind);
          return 'code' in reading ? reading.code : rowOf(reading, 0);
        } catch (error) {
          return (error as ApiError).error.code;
        }
      };
      const code = typeof element === 'object' && 'code' in element ? element.code : element;
      expect(read('prediction')).toEqual(code);
      const comparison = read('comparison');
      if (Array.isArray(code)) expect(comparison).toEqual(code.with(3, PLANTING_METHODS.length));
      else if (code !== 'invalid_method' && code !== 'invalid_request') expect(comparison).toEqual(code);
    }),
    { numRuns: amount({ short: 1000, long: 50_000 }) },
  );
});

test('a batch is read as JSON.parse and the schema read it whatever single byte of it is another', () => {
  const right = Buffer.from(
    '{"requests":[{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual","horizons":[1,3]}]}',
  );
  const step = amount({ short: 7, long: 1 });
  for (let at = 0; at < right.length; at++) {
    for (let byte = at % step; byte < 0x80; byte += step) {
      const changed = Buffer.from(right);
      changed[at] = byte;
      expect(actual(changed.toString())).toEqual(expected(changed.toString()));
    }
  }
});

test('a batch that is too large for every tier is refused with the number of its entries', () => {
  const bytes = Buffer.from(JSON.stringify({ requests: Array(5000).fill(PREDICT_REQUEST) }));
  const details = { submitted: 5000, tier_limit: 500, tier: 'hypha' };
  expect(() => reader.readBatch(bytes, HYPHA)).toThrow(
    expect.objectContaining({ error: expect.objectContaining({ details }) }),
  );
});

/** The error of a prediction with these fields, beside the right ones. */
function errorWith(fields: object, by = reader): ErrorObject | undefined {
  const read = by.readSite(Buffer.from(JSON.stringify({ ...PREDICT_REQUEST, ...fields })), 'prediction');
  return 'code' in read ? read : undefined;
}

test.each([
  ['2 or 10', [2, 10]],
  ['2', [2]],
  ['"3", null, an array of 2, an object or 2.5', [1, '3', 5, null, [1, 1], { a: 1 }, 2.5]],
  ['2, 2, 2, 2, 2 or 395 more', Array(400).fill(2)],
  ['"x", "x", "x", "x", "x" or 395 more', Array(400).fill('x')],
])('the message for wrong horizons names each of them, of many the first five: %s', (named, horizons) => {
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

test('a misspelt option is reported beside what else is wrong with the shape of the request', () => {
  expect(errorWith({ latitude: null, horizon: [1] })?.details).toEqual({
    issues: [
      { path: 'latitude', message: expect.stringContaining('latitude') },
      { path: 'horizon', message: expect.stringContaining('horizons') },
    ],
  });
});

test('elevation_m is an invalid request that says why where the grid has no lapse rates', () => {
  const { elevation } = data.grid.columns;
  const artefacts = { ...data, grid: { ...data.grid, columns: { elevation } } };
  const without = new RequestReader({ artefacts, searchRadiusKm });
  const message = 'elevation_m cannot be used: the data of this service have no lapse rates';
  expect(errorWith({ elevation_m: 850 }, without)).toEqual({
    code: 'invalid_request',
    message: `The request is not valid: ${message}.`,
    details: { issues: [{ path: 'elevation_m', message }] },
  });
  expect(errorWith({ scenario: { warming_c: 1 } }, without)).toBeUndefined();
});
