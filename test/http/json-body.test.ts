import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { checkBatch } from '../../src/http/request/batch.js';
import { RequestChecker } from '../../src/http/request/check-request.js';
import { parseJson } from '../../src/http/request/json-body.js';
import { compareRequestSchema, predictRequestSchema } from '../../src/http/request/schemas.js';
import { readArtefactFile } from '../../src/prediction/artefacts/artefact-file.js';
import { parseSpecies, SpeciesCatalogue } from '../../src/prediction/artefacts/species.js';
import { SiteRows } from '../../src/prediction/site-rows.js';
import { PREDICT_REQUEST } from '../support/requests.js';

const LARGE_BYTES = 80 * 1024;
const ENTRY = JSON.stringify(PREDICT_REQUEST);

const checker = new RequestChecker(
  new SpeciesCatalogue(parseSpecies(readArtefactFile(`${loadConfig({}).dataDir}/species.json`))),
);

/** A body of the same value that is large. */
const padded = (json: string) => Buffer.from(json.padStart(LARGE_BYTES));

/** What becomes of a body: what is checked of it, or the error that is answered. */
function outcomeOf(check: (body: unknown, rows: SiteRows) => unknown, body: Buffer) {
  const rows = new SiteRows(1);
  try {
    return { checked: check(parseJson(body), rows), rows };
  } catch (error) {
    return { error };
  }
}

const FIELDS = Object.keys({ ...predictRequestSchema.shape, ...compareRequestSchema.shape });
const RIGHT: Readonly<Record<string, unknown>> = { ...PREDICT_REQUEST, horizons: [1, 3] };
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(fc.constantFrom<unknown>(1, 3, 5, 2, 'x', null, {}, [1, 2]), { maxLength: 600 }),
);
const entry = fc
  .record(
    Object.fromEntries(
      [...FIELDS, 'tag'].map((field) => [
        field,
        fc.oneof({ weight: 6, arbitrary: fc.constant(RIGHT[field]) }, anything),
      ]),
    ),
    { requiredKeys: [] },
  )
  .map((fields) => ({ ...RIGHT, ...fields }));

describe('a large body', () => {
  it('is checked like a small one of the same value', () => {
    fc.assert(
      fc.property(fc.oneof(entry, anything), (value) => {
        const json = JSON.stringify(value);
        const ways = [
          (body: unknown, rows: SiteRows) => checker.checkPrediction(body, rows, 0),
          (body: unknown, rows: SiteRows) => checker.checkComparison(body, rows, 0),
        ];
        for (const check of ways)
          expect(outcomeOf(check, padded(json))).toEqual(outcomeOf(check, Buffer.from(json)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([{ length: null }, { length: 0 }, { length: 1 }, 'x', ''])(
    'is refused with one issue like a small one where horizons is %j',
    (horizons) => {
      const body = Buffer.from(JSON.stringify({ ...PREDICT_REQUEST, horizons }));
      const check = (of: unknown, rows: SiteRows) => checker.checkPrediction(of, rows, 0);
      const { checked } = outcomeOf(check, body);
      expect(checked).toMatchObject({ error: { details: { issues: [{ path: 'horizons' }] } } });
      expect(outcomeOf(check, padded(body.toString()))).toEqual(outcomeOf(check, body));
    },
  );

  it('is checked like a small one of the same value where it is a batch', () => {
    const entries = fc.oneof(fc.array(fc.oneof(entry, anything), { maxLength: 5 }), anything);
    fc.assert(
      fc.property(entries, (requests) => {
        const json = JSON.stringify({ requests });
        const check = (body: unknown) => checkBatch(body, 'hypha', checker);
        expect(outcomeOf(check, padded(json))).toEqual(outcomeOf(check, Buffer.from(json)));
      }),
      { numRuns: 1000 },
    );
  });

  /** As many objects with a member each, all of another name, as go into a body. */
  const objects = Array.from({ length: 60_000 }, (_, i) => `{"${i.toString(36)}-":1}`).join(',');
  const withField = (field: string, json: string) => `${ENTRY.slice(0, -1)},"${field}":${json}}`;

  it.each([
    ['beside its fields', withField('tag', `[${objects}]`), PREDICT_REQUEST],
    ['in latitude', `{"latitude":{"a":[${objects}]}}`, { latitude: {} }],
    [
      'nested in each other',
      withField('x', `${'{"a":'.repeat(90_000)}1${'}'.repeat(90_000)}`),
      PREDICT_REQUEST,
    ],
    [
      'in an entry of a batch',
      `{"requests":[${withField('tag', `[${objects}]`)}]}`,
      { requests: [PREDICT_REQUEST] },
    ],
  ])('is read without making the objects that it ignores: %s', (_where, json, value) => {
    expect(parseJson(Buffer.from(json))).toEqual(value);
  });

  it('is read without making objects of its elements where they are too many', () => {
    const entries = parseJson(Buffer.from(`{"requests":[${objects}]}`)) as { requests: unknown[] };
    expect(entries.requests).toHaveLength(60_000);
    expect(new Set(entries.requests.slice(500))).toEqual(new Set([null]));
    const site = parseJson(Buffer.from(withField('horizons', `[1,${objects}]`))) as { horizons: unknown[] };
    expect(site.horizons.slice(0, 3)).toEqual([1, {}, null]);
    expect(new Set(site.horizons.slice(2))).toEqual(new Set([null]));
  });

  it.each([
    ['{"é💥":1,}', 'it is wrong at character 9'],
    ['{"latitude":1', 'it is truncated'],
  ])('fails like a small one where it is not JSON: %s', (json, problem) => {
    const message = `The body is not valid JSON: ${problem}.`;
    expect(() => parseJson(Buffer.from(json))).toThrow(message);
    expect(() => parseJson(Buffer.from(json.padEnd(LARGE_BYTES)))).toThrow(message);
  });
});
