import { beforeAll, expect, test } from 'vitest';
import { openPredictor } from '../../../src/prediction/open-predictor.js';
import type { Predictor, PredictorData } from '../../../src/prediction/predictor.js';
import { readPredictorData } from '../../../testing/project.js';
import { answerTable, contextOf, tableRequest } from './support/answer-table.js';
import { readAnswer } from './support/read-answer.js';
import { refusalOf } from './support/refusal.js';

let data: PredictorData;
let predictor: Predictor;
beforeAll(async () => {
  data = readPredictorData();
  predictor = await openPredictor(data);
});

const request = tableRequest({ format: 'ndjson' });
const SITE = { latitude: 44.12, longitude: -122.03, species_code: 'PSME', planting_method: 'manual' };
const LINE = JSON.stringify(SITE);

test.each<[mistake: string, body: string | Buffer, problem: string]>([
  ['an empty body', '', 'the body is empty'],
  ['blank lines alone', '\n \n', 'it has no rows: write one JSON object a line'],
  [
    'a field that no line has',
    '{"latitude":44}\n{"longitude":-122,"species_code":"PSME"}\n',
    'it has no column planting_method; its columns are "latitude", "longitude", "species_code"',
  ],
  ['a field twice', `${LINE}\n{"a":1,"b":2,"\\u0061":3}\n`, 'line 2 has the field "a" twice'],
  [
    'a field with the name of a column of the answer',
    `${LINE}\n{"survival_5":1}\n`,
    'its column survival_5 has the name of a column of the answer: rename or remove it',
  ],
  [
    'names that differ only in halves of surrogate pairs',
    `${LINE}\n{"a\\ud83c\\udf32":0,"a\\ud800":1,"a\\ud801":2}\n`,
    'line 2 has the field "a\\ud801", whose name has half of a surrogate pair: rename it',
  ],
  ['a line that is no object', `${LINE}\n44.12\n`, 'line 2 is not a JSON object'],
  [
    'a JSON array',
    `[${LINE},\n${LINE}]\n`,
    'line 1 is not a JSON object: write one object a line, without brackets and commas around them',
  ],
  [
    'commas between the objects',
    `${LINE},\n${LINE}\n`,
    `line 1 is not JSON at byte ${LINE.length + 1}: write each object on one line`,
  ],
  [
    'what is not JSON',
    `${LINE}\n{"latitude":NaN}\n`,
    'line 2 is not JSON at byte 13: write each object on one line',
  ],
  [
    'an object over several lines',
    '{\n"latitude": 44\n}\n',
    'line 1 is not a whole JSON object: write each object on one line',
  ],
  [
    'a truncated object',
    `${LINE}\n${LINE.slice(0, 30)}`,
    'line 2 is not a whole JSON object: write each object on one line',
  ],
  ['a blank line between rows', `${LINE}\n\n${LINE}\n`, 'line 2 is blank: remove it'],
  [
    'Latin-1',
    Buffer.from(`${LINE}\n{"note":"caf\xe9"}\n`, 'latin1'),
    'line 2 is not UTF-8: save the file as UTF-8 (in Excel: "CSV UTF-8"), not as Latin-1 or Windows-1252',
  ],
  [
    'a line of more than a MiB',
    `${LINE}\n{"note":"${'x'.repeat(2 ** 20)}"}\n`,
    'line 2 has more than 1048576 bytes',
  ],
])('JSON lines with %s are refused with what is wrong and what would be right', (_, body, problem) => {
  const { code, message, details } = refusalOf(body, request, contextOf(data));
  expect(code).toBe('invalid_request');
  expect(message).toBe(`The table is not valid: ${problem}.`);
  expect(details).toMatchObject({ issues: [{ message: problem }] });
});

test('JSON lines with more rows than the tier allows are refused with their number', () => {
  const body = `${LINE}\n`.repeat(201);
  expect(
    refusalOf(body, tableRequest({ format: 'ndjson', rowLimit: 10, tier: 'spore' }), contextOf(data)),
  ).toEqual({
    code: 'batch_too_large',
    message: 'The table has 201 rows; the spore tier allows 10.',
    details: { submitted: 201, tier_limit: 10, tier: 'spore' },
  });
});

test.each<[mistake: string, row: object, code: string, message: string]>([
  [
    'a number as text',
    { ...SITE, latitude: '44.12' },
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not "44.12".',
  ],
  [
    'null for a longitude',
    { ...SITE, longitude: null },
    'invalid_request',
    'The request is not valid: longitude must be a number from -180 to 180, not null.',
  ],
  [
    'no field at all',
    {},
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not nothing; longitude must be a number from ' +
      '-180 to 180, not nothing; species_code must be a string such as "PSME", not nothing; planting_method is missing: ' +
      'it must be "manual" or "drone_seeded".',
  ],
  [
    'a species in lower case',
    { ...SITE, species_code: 'psme' },
    'invalid_species',
    'species_code "psme" is not a known species code. Did you mean PSME (Douglas-fir)?',
  ],
  [
    'a method that is no text',
    { ...SITE, planting_method: ['manual'] },
    'invalid_method',
    'planting_method must be "manual" or "drone_seeded", not an array of 1.',
  ],
  [
    'an elevation as text',
    { ...SITE, elevation_m: '900' },
    'invalid_request',
    'The request is not valid: elevation_m must be a number from -100 to 4400 m, not "900".',
  ],
])('a row of JSON lines with %s is a row with an error', async (_, row, code, message) => {
  const answer = await answerTable(`${LINE}\n${JSON.stringify(row)}\n`, request, data, predictor);
  const [good, bad] = readAnswer(answer, 'ndjson');
  expect(good).toMatchObject({ ...SITE, region: 'US-OR', error_code: null, error_message: null });
  expect(bad).toMatchObject({
    ...row,
    region: null,
    survival_5: null,
    error_code: code,
    error_message: message,
  });
});

test('fields of JSON lines that are named like options of a request, or nearly so, are ordinary columns', async () => {
  const options = {
    horizons: [1],
    include: ['site'],
    scenario: { warming_c: 99 },
    conditions: 'wet',
    horizon: 5,
  };
  const [row] = readAnswer(
    await answerTable(JSON.stringify({ ...options, ...SITE, elevation_m: null }), request, data, predictor),
    'ndjson',
  );
  expect(row).toMatchObject({
    ...options,
    elevation_m: null,
    error_code: null,
    survival_5: expect.any(Number),
  });
});
