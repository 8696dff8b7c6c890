import { beforeAll, expect, test } from 'vitest';
import { openPredictor } from '../../../src/prediction/open-predictor.js';
import type { Predictor, PredictorData } from '../../../src/prediction/predictor.js';
import { readPredictorData } from '../../../testing/project.js';
import { answerTable, contextOf, tableRequest } from './support/answer-table.js';
import { parsePlainCsv } from './support/plain-csv.js';
import { readAnswer } from './support/read-answer.js';
import { refusalOf } from './support/refusal.js';

let data: PredictorData;
let predictor: Predictor;
beforeAll(async () => {
  data = readPredictorData();
  predictor = await openPredictor(data);
});

const request = tableRequest({ format: 'csv' });
const HEADER = 'latitude,longitude,species_code,planting_method';
const ROW = '44.12,-122.03,PSME,manual';

test.each<[mistake: string, body: string | Buffer, problem: string]>([
  ['an empty file', '', 'the body is empty'],
  ['only a byte order mark', '\ufeff', 'it has no header line'],
  [
    'a missing column',
    'lat,longitude,species_code,planting_method\n',
    'it has no column latitude; its columns are "lat", "longitude", "species_code", "planting_method"',
  ],
  [
    'several missing columns among many',
    `latitude,${Array.from({ length: 20 }, (_, i) => `c${i}`).join(',')}\n`,
    'it has no columns longitude, species_code, planting_method; its columns are "latitude", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", and 11 more',
  ],
  [
    'names of columns that are too long together',
    `${HEADER},${'x'.repeat(33_000)}\n`,
    'the names of its columns have 33044 bytes, and may have at most 32768 together',
  ],
  [
    'a doubled column',
    `note,${HEADER},note\n`,
    'columns 1 and 6 are both named "note", and names must differ',
  ],
  [
    'a column with the name of one of the answer',
    `${HEADER},region\n`,
    'its column region has the name of a column of the answer: rename or remove it',
  ],
  [
    'a column with the name of one that this answer lacks',
    `${HEADER},low_3\n`,
    'its column low_3 has the name of a column of the answer: rename or remove it',
  ],
  [
    'semicolons',
    `${HEADER.replaceAll(',', ';')}\n44,12;-122,03;PSME;manual\n`,
    'it has no columns latitude, longitude, species_code, planting_method; its columns are ' +
      '"latitude;longitude;species_code;planting"... (47 characters). ' +
      'Separate the columns with commas, not with semicolons, and write decimals with a point',
  ],
  [
    'tabs',
    `a\tlatitude\tb\n`,
    'it has no columns latitude, longitude, species_code, planting_method; its columns are "a\\tlatitude\\tb". ' +
      'Separate the columns with commas, not with tabs',
  ],
  [
    'line ends of a carriage return alone',
    `${HEADER}\r${ROW}\r${ROW}\r`,
    'it has no column planting_method; its columns are "latitude", "longitude", "species_code", ' +
      '"planting_method\\r44.12", "-122.03", "PSME", "manual\\r44.12", "-122.03", "PSME", "manual". ' +
      'End lines with LF or CRLF, not with CR alone',
  ],
  [
    'Latin-1',
    Buffer.from(`${HEADER},note\n${ROW},a\n${ROW},caf\xe9\n${ROW},b\n`, 'latin1'),
    'line 3 is not UTF-8: save the file as UTF-8 (in Excel: "CSV UTF-8"), not as Latin-1 or Windows-1252',
  ],
  ['UTF-16', Buffer.from(`\ufeff${HEADER}\n`, 'utf16le'), 'it is UTF-16: save it as UTF-8'],
  [
    'a row that is too short',
    `${HEADER}\n${ROW}\n44,-122,PSME\n`,
    'line 3 has 3 fields, but the header has 4',
  ],
  [
    'a row that is too long, as with a decimal comma',
    `${HEADER}\n44,12,-122.03,PSME,manual\n`,
    'line 2 has 5 fields, but the header has 4: quote fields that contain a comma, and write decimals with a point',
  ],
  [
    'a wrong row after a field with line ends',
    `note,${HEADER}\n"a\nb\nc",${ROW}\n1\n`,
    'line 5 has 1 field, but the header has 5',
  ],
  ['a blank line between rows', `${HEADER}\r\n${ROW}\r\n\r\n${ROW}\r\n`, 'line 3 is blank: remove it'],
  [
    'a quote that is not closed',
    `${HEADER},note\n${ROW},"a\n${ROW},b\n`,
    'line 2 has a quoted field that is not closed by a quote',
  ],
  [
    'a quote within a quoted field',
    `${HEADER},note\n${ROW},"5'6" tall"\n`,
    'line 2 has a quoted field with text after its quote: write a quote within a field twice',
  ],
  [
    'a row of more than a MiB',
    `${HEADER},note\n${ROW},${'x'.repeat(2 ** 20)}\n${ROW},b\n`,
    'line 2 begins a row of more than 1048576 bytes; is there a quote that is not closed?',
  ],
])('CSV with %s is refused with what is wrong and what would be right', (_, body, problem) => {
  const { code, message, details } = refusalOf(body, request, contextOf(data));
  expect(code).toBe('invalid_request');
  expect(message).toBe(`The table is not valid: ${problem}.`);
  expect(details).toMatchObject({ issues: [{ message: problem }] });
});

test('CSV with more rows than the tier allows is refused with their number, of rows that are kept and others', () => {
  const body = `${HEADER}\n${`${ROW}\n`.repeat(201)}\n`;
  expect(
    refusalOf(body, tableRequest({ format: 'csv', rowLimit: 100, tier: 'mycel' }), contextOf(data)),
  ).toEqual({
    code: 'batch_too_large',
    message: 'The table has 201 rows; the mycel tier allows 100.',
    details: { submitted: 201, tier_limit: 100, tier: 'mycel' },
  });
});

test('a CSV header alone is an empty table', async () => {
  for (const header of [HEADER, `${HEADER}\n`, `${HEADER}\r\n\r\n`]) {
    const [names, ...rows] = parsePlainCsv((await answerTable(header, request, data, predictor)).toString());
    expect(names.slice(0, 5)).toEqual([...HEADER.split(','), 'matched_latitude']);
    expect(rows).toEqual([]);
  }
});

test.each<[mistake: string, row: string, code: string, message: string]>([
  [
    'no latitude',
    ',-122.03,PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not nothing.',
  ],
  [
    'NaN',
    'NaN,-122.03,PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not "NaN".',
  ],
  [
    'an infinity',
    '44,-Infinity,PSME,manual',
    'invalid_request',
    'The request is not valid: longitude must be a number from -180 to 180, not "-Infinity".',
  ],
  [
    'a number too large for a float64',
    '1e999,-122.03,PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not "1e999".',
  ],
  [
    'a text for a number',
    'north,-122.03,PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not "north".',
  ],
  [
    'a hexadecimal number after a space',
    ' 0x2c,-122.03,PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not " 0x2c".',
  ],
  [
    'a hexadecimal number',
    '0x2c,-122.03,PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not "0x2c".',
  ],
  [
    'white space for a number',
    ' ,-122.03,PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not " ".',
  ],
  [
    'decimal commas',
    '"44,12","-122,03",PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not "44,12"; longitude must be a number from ' +
      '-180 to 180, not "-122,03". Write decimals with a point, not with a comma.',
  ],
  [
    'swapped coordinates',
    '-122.03,44.12,PSME,manual',
    'invalid_request',
    'The request is not valid: latitude must be a number from -90 to 90, not -122.03. Did you mean latitude 44.12, ' +
      'longitude -122.03? It looks as if latitude and longitude are swapped.',
  ],
  [
    'a species in lower case',
    '44.12,-122.03,psme,manual',
    'invalid_species',
    'species_code "psme" is not a known species code. Did you mean PSME (Douglas-fir)?',
  ],
  [
    'no species',
    '44.12,-122.03,,manual',
    'invalid_request',
    'The request is not valid: species_code must be a string such as "PSME", not nothing.',
  ],
  [
    'a wrong method',
    '44.12,-122.03,PSME,Manual',
    'invalid_method',
    'planting_method must be "manual" or "drone_seeded", not "Manual".',
  ],
  [
    'no method',
    '44.12,-122.03,PSME,',
    'invalid_request',
    'The request is not valid: planting_method is missing: it must be "manual" or "drone_seeded".',
  ],
])('a row of CSV with %s is a row with an error', async (_, row, code, message) => {
  const answer = await answerTable(`${HEADER}\n${ROW}\n${row}\n`, request, data, predictor);
  const [good, bad] = readAnswer(answer, 'csv');
  expect(good).toMatchObject({ region: 'US-OR', error_code: '', error_message: '' });
  const { error_code, error_message, ...others } = bad;
  expect([error_code, error_message]).toEqual([code, message]);
  expect(Object.values(others).slice(4).join('')).toBe('');
});

test.each([
  ['4400.5', 'elevation_m must be a number from -100 to 4400 m, not 4400.5 (was it in feet?)'],
  ['high', 'elevation_m must be a number from -100 to 4400 m, not "high"'],
])(
  'a row whose elevation is %s is a row with an error, and an empty one states none',
  async (cell, problem) => {
    const body = `${HEADER},elevation_m\n${ROW},\n${ROW},${cell}\n`;
    const [none, wrong] = readAnswer(await answerTable(body, request, data, predictor), 'csv');
    expect(none.error_code).toBe('');
    expect(wrong).toMatchObject({
      error_code: 'invalid_request',
      error_message: `The request is not valid: ${problem}.`,
    });
  },
);

test('an elevation NA, quoted or not, states none and is echoed', async () => {
  const body = `${HEADER},elevation_m\n${ROW},\n${ROW},NA\n${ROW},"NA"\n`;
  const [none, ...missing] = readAnswer(await answerTable(body, request, data, predictor), 'csv');
  expect(none.error_code).toBe('');
  for (const row of missing) expect(row).toEqual({ ...none, elevation_m: 'NA' });
});

test.each(['na', 'N/A', ' NA', 'NAN'])('an elevation %j is no number', async (cell) => {
  const body = `${HEADER},elevation_m\n${ROW},${cell}\n`;
  const [row] = readAnswer(await answerTable(body, request, data, predictor), 'csv');
  expect(row.error_code).toBe('invalid_request');
});

test.each([
  'NA,-122.03,PSME,manual',
  '44.12,NA,PSME,manual',
  '44.12,-122.03,NA,manual',
  '44.12,-122.03,PSME,NA',
])('NA in a required column is an error of its row: %s', async (line) => {
  const [row] = readAnswer(await answerTable(`${HEADER}\n${line}\n`, request, data, predictor), 'csv');
  expect(row.error_code).not.toBe('');
});

test('a byte order mark, CRLF and numbers in quotes or white space change no answer', async () => {
  const plain = (await answerTable(`${HEADER}\n${ROW}\n`, request, data, predictor)).toString();
  const others = `\ufeff${HEADER}\r\n"44.12", -122.03 ,PSME,"manual"\r\n`;
  const answer = (await answerTable(others, request, data, predictor)).toString();
  const ours = (text: string) => parsePlainCsv(text).map((row) => row.slice(4));
  expect(ours(answer)).toEqual(ours(plain));
  expect(answer.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
});
