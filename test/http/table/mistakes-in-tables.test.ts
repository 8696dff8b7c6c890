import {
  Decimal,
  Field,
  Float64,
  makeData,
  SparseUnion,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  Vector,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import type { TableFormat } from '../../../src/formats/table/table-request.js';
import { answerRows, refusalOf, tableRequest } from './support/answer-table.js';
import { arrowOf, type Column } from './support/bodies.js';

const HEADER = 'latitude,longitude,species_code,planting_method';
const ROW = '44.12,-122.03,PSME,manual';
const SITE = { latitude: 44.12, longitude: -122.03, species_code: 'PSME', planting_method: 'manual' };
const LINE = JSON.stringify(SITE);
const SITES: Record<string, Column> = {
  latitude: [new Float64(), [44.12, 45.5]],
  longitude: [new Float64(), [-122.03, -123.2]],
  species_code: [new Utf8(), ['PSME', 'TSHE']],
  planting_method: [new Utf8(), ['manual', 'drone_seeded']],
};
const stream = (columns: Record<string, Column> = {}) => arrowOf({ ...SITES, ...columns });
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const COMMAS = 'separate the columns with commas, and write decimals with a point';
const NOT_UTF8 =
  'is not UTF-8: save the file as UTF-8 (in Excel: "CSV UTF-8"), not as Latin-1, Windows-1252 or UTF-16';

function unionStream(): Uint8Array {
  const type = new SparseUnion([0], [new Field('a', new Float64())]);
  const children = [makeData({ type: new Float64(), data: new Float64Array(2) })];
  const mixed = makeData({ type, length: 2, typeIds: new Int8Array(2), children });
  return tableToIPC(tableFromIPC(stream()).assign(new Table({ mixed: new Vector([mixed]) })), 'stream');
}

test.each<[TableFormat, mistake: string, body: string | Uint8Array, path: string, problem: string]>([
  ['csv', 'an empty file', '', '', 'the body is empty'],
  ['csv', 'only a byte order mark', '\ufeff', '', 'it has no header line'],
  ['csv', 'a missing column', 'lat,longitude\n', 'latitude', 'it has no columns latitude, species_code, '],
  ['csv', 'many other columns', `${'a,'.repeat(11)}b\n`, 'latitude', 'its columns are "a", "a", "a", "a", '],
  [
    'csv',
    'names that are too long',
    `${'x'.repeat(32_999)},b\n`,
    '',
    '33000 bytes, and may have at most 32768',
  ],
  ['csv', 'a doubled column', `a,${HEADER},a\n`, 'a', '1 and 6 are both named "a": rename or remove one'],
  ['csv', "a column of the answer's", `${HEADER},region\n`, 'region', 'region has the name of a column of'],
  ['csv', "one of another answer's", `${HEADER},low_3\n`, 'low_3', 'low_3 has the name of a column of'],
  ['csv', 'capitals', `${HEADER.toUpperCase()}\n`, 'latitude', '; its columns are "LATITUDE", '],
  [
    'csv',
    'spaces',
    HEADER.replaceAll(',', ', '),
    'longitude',
    '; its columns are "latitude", " longitude", ',
  ],
  ['csv', 'semicolons', 'latitude;longitude\n', '', `one column, "latitude;longitude": ${COMMAS}`],
  ['csv', 'quotes and tabs', `"${HEADER.replaceAll(',', '"\t"')}"\n`, 'line 1', 'fields with commas, and'],
  ['csv', 'CR alone', `${HEADER},a\r${`${ROW},a\r`.repeat(50_000)}`, 'line 1', 'that end with CR alone'],
  ['csv', 'semicolons in rows', `${HEADER}\n44;-122,03;PSME\n`, 'line 2', 'separate fields with commas'],
  ['csv', 'Latin-1', latin1(`${HEADER},a\n${ROW},a\n${ROW},caf\xe9\n`), 'line 3', `line 3 ${NOT_UTF8}`],
  ['csv', 'UTF-16', Buffer.from(`\ufeff${HEADER}\n`, 'utf16le'), 'line 1', `line 1 ${NOT_UTF8}`],
  ['csv', 'a short row', `${HEADER}\n${ROW}\n44,-122,PSME\n`, 'line 3', 'has 3 fields, but the header has 4'],
  ['csv', 'decimal commas', `${HEADER}\n44,12,${ROW}\n`, 'line 2', 'write decimals with a point'],
  ['csv', 'line ends in a field', `a,${HEADER}\n"\n\n",${ROW}\n1\n`, 'line 5', 'line 5 has 1 field, '],
  ['csv', 'a blank line', `${HEADER}\r\n${ROW}\r\n\r\n${ROW}\r\n`, 'line 3', 'line 3 is blank: remove it'],
  ['csv', 'an open quote', `${HEADER},a\n${ROW},"a\n${ROW},b\n`, 'line 2', 'has an unclosed quoted field'],
  ['csv', 'a quote in quotes', `${HEADER},a\n${ROW},"5'6" tall"\n`, 'line 2', 'a quote within a field twice'],
  ['csv', 'a long row', `a,${HEADER}\n${'x'.repeat(2 ** 20)},${ROW}\n`, 'line 2', 'more than 1048576 bytes'],
  ['ndjson', 'an empty body', '', '', 'the body is empty'],
  ['ndjson', 'blank lines alone', '\n \n', '', 'it has no rows: write one JSON object a line'],
  ['ndjson', 'a missing field', '{"a":44}\n{"b":-122}\n', 'latitude', '; its columns are "a", "b"'],
  ['ndjson', 'a field twice', `${LINE}\n{"a":1,"b":2,"\\u0061":3}\n`, 'line 2', 'has the field "a" twice'],
  ['ndjson', "a field of the answer's", `${LINE}\n{"survival_5":1}\n`, 'survival_5', 'survival_5 has the '],
  [
    'ndjson',
    'half of a pair',
    '{"a\\ud83c\\udf32":0,"a\\ud800":1}\n',
    'line 1',
    '"a\\ud800", whose name has ',
  ],
  ['ndjson', 'another value', `${LINE}\n44.12\n`, 'line 2', 'line 2 is not a JSON object'],
  ['ndjson', 'an array', `[${LINE},\n${LINE}]\n`, 'line 1', 'without brackets and commas around them'],
  ['ndjson', 'commas', `${LINE},\n${LINE}\n`, 'line 1', `is not JSON at byte ${LINE.length + 1}: write `],
  [
    'ndjson',
    'what is not JSON',
    `${LINE}\n{"latitude":NaN}\n`,
    'line 2',
    'is not JSON at byte 13: write each',
  ],
  [
    'ndjson',
    'an object over lines',
    '{\n"latitude": 44\n}\n',
    'line 1',
    'is not JSON at byte 3: write each object ',
  ],
  [
    'ndjson',
    'a truncated object',
    `${LINE}\n${LINE.slice(0, 30)}`,
    'line 2',
    'is not JSON at byte 31: write each',
  ],
  ['ndjson', 'a blank line', `${LINE}\n\n${LINE}\n`, 'line 2', 'line 2 is blank: remove it'],
  ['ndjson', 'Latin-1', latin1(`${LINE}\n{"note":"caf\xe9"}\n`), 'line 2', `line 2 ${NOT_UTF8}`],
  ['ndjson', 'a long line', `{"a":"${'x'.repeat(2 ** 20)}"}\n`, 'line 1', 'has more than 1048576 bytes'],
  ['arrow', 'an empty body', '', '', 'the body is empty'],
  ['arrow', 'CSV', 'latitude,longitude\n', '', 'it is not an Arrow stream, which begins with FF FF FF FF'],
  ['arrow', 'a file', tableToIPC(tableFromIPC(stream()), 'file'), '', 'not an Arrow file, Feather or'],
  ['arrow', 'Parquet', 'PAR1....', '', 'Feather or Parquet'],
  ['arrow', 'a missing column', arrowOf({ a: SITES.latitude }), 'latitude', '; its columns are "a"'],
  ['arrow', "one of the answer's", stream({ error_code: SITES.latitude }), 'error_code', 'has the name of'],
  ['arrow', 'text for numbers', stream({ latitude: SITES.species_code }), 'latitude', 'Utf8, but must have '],
  [
    'arrow',
    'numbers for text',
    stream({ species_code: SITES.latitude }),
    'species_code',
    'Float64, but must',
  ],
  ['arrow', 'unions', unionStream(), 'mixed', 'the type Union<Float64>, which is not supported: cast or'],
  ['arrow', 'no digits', stream({ a: [new Decimal(2, 0, 128), []] }), 'a', 'the type Decimal[0e+2], which'],
  ['arrow', 'bytes after it', Buffer.concat([stream(), Buffer.alloc(8)]), '', '8 bytes follow the end of'],
])(
  'a table in %s with %s is refused with what is wrong and what would be right',
  (format, _, body, path, problem) => {
    const { code, message, details } = refusalOf(body, tableRequest({ format }));
    expect(code).toBe('invalid_request');
    expect(message).toContain(problem);
    const [issue, ...others] = details!.issues as { path: string; message: string }[];
    expect([issue.path, others]).toEqual([path, []]);
    expect(message).toBe(`The table is not valid: ${issue.message}.`);
  },
);

test('an Arrow stream that is cut off anywhere is refused', () => {
  const whole = stream();
  for (let length = 1; length < whole.length; length++) {
    const { message } = refusalOf(whole.subarray(0, length), tableRequest({ format: 'arrow' }));
    expect(message).toMatch(/the Arrow stream is truncated/);
  }
});

test.each<[TableFormat, string | Uint8Array]>([
  ['csv', `${HEADER}\n${`${ROW}\n`.repeat(2)}\n`],
  ['ndjson', `${LINE}\n`.repeat(2)],
  ['arrow', stream()],
])('a table in %s with more rows than the tier allows is refused with their number', (format, body) => {
  expect(refusalOf(body, tableRequest({ format, limit: { tier: 'spore', max: 1 } }))).toEqual({
    code: 'batch_too_large',
    message: 'The table has 2 rows; the spore tier allows 1.',
    details: { submitted: 2, tier_limit: 1, tier: 'spore' },
  });
});

const LATITUDE = 'latitude must be a number from -90 to 90, not';
const SPECIES = 'species_code must be a string such as "PSME", not nothing';
const METHOD = 'planting_method is missing: it must be "manual" or "drone_seeded"';
const PROPOSAL = 'species_code "psme" is not a known species code. Did you mean PSME (Douglas-fir)?';
const ELEVATION = 'elevation_m must be a number from -10 to 4400 m, not';
const AS_METHOD = 'planting_method must be "manual" or "drone_seeded", not';

test.each<[mistake: string, row: string, code: string, message: string]>([
  ['no latitude', ',-122.03,PSME,manual', 'invalid_request', `${LATITUDE} nothing.`],
  ['NaN', 'NaN,-122.03,PSME,manual', 'invalid_request', `${LATITUDE} "NaN".`],
  ['NA', 'NA,-122.03,PSME,manual', 'invalid_request', `${LATITUDE} "NA".`],
  ['an infinity', '-Infinity,-122.03,PSME,manual', 'invalid_request', `${LATITUDE} "-Infinity".`],
  ['a number too large', '1e999,-122.03,PSME,manual', 'invalid_request', `${LATITUDE} "1e999".`],
  ['a text for a number', 'north,-122.03,PSME,manual', 'invalid_request', `${LATITUDE} "north".`],
  ['a hexadecimal number', '0x2c,-122.03,PSME,manual', 'invalid_request', `${LATITUDE} "0x2c".`],
  ['one after a space', ' 0x2c,-122.03,PSME,manual', 'invalid_request', `${LATITUDE} " 0x2c".`],
  ['white space for a number', ' ,-122.03,PSME,manual', 'invalid_request', `${LATITUDE} " ".`],
  ['decimal commas', '"44,120","-122,030",PSME,manual', 'invalid_request', `${LATITUDE} "44,120"`],
  ['swapped coordinates', '-122.03,44.12,PSME,manual', 'invalid_request', 'and longitude are swapped.'],
  ['a species in lower case', '44.12,-122.03,psme,manual', 'invalid_species', PROPOSAL],
  ['no species', '44.12,-122.03,,manual', 'invalid_request', `${SPECIES}.`],
  ['NA for a species', '44.12,-122.03,NA,manual', 'invalid_species', 'species_code "NA" is not a known'],
  ['a wrong method', '44.12,-122.03,PSME,Manual', 'invalid_method', `${AS_METHOD} "Manual".`],
  ['no method', '44.12,-122.03,PSME,', 'invalid_request', `${METHOD}.`],
])('a row of CSV with %s is a row with an error', async (_, row, code, message) => {
  const [good, bad] = await answerRows(`${HEADER}\n${ROW}\n${row}\n`, { format: 'csv' });
  expect(good).toMatchObject({ region: 'US-OR', error_code: '', error_message: '' });
  const { error_code, error_message, ...others } = bad;
  expect([error_code, error_message]).toEqual([code, expect.stringContaining(message)]);
  expect(Object.values(others).slice(4).join('')).toBe('');
});

test.each<[cell: string, problem: string | undefined]>([
  ['', undefined],
  ['NA', undefined],
  ['"NA"', undefined],
  ['4400.5', '4400.5'],
  ['high', '"high"'],
  ['na', '"na"'],
  ['N/A', '"N/A"'],
  ['"+1,200"', '"+1,200"'],
  ['"850,5"', '"850,5"'],
  [' NA', '" NA"'],
  ['NAN', '"NAN"'],
])('an elevation of %j in CSV states none or is an error, and is echoed', async (cell, problem) => {
  const [none, row] = await answerRows(`${HEADER},elevation_m\n${ROW},\n${ROW},${cell}\n`, { format: 'csv' });
  const elevation_m = cell.replaceAll('"', '');
  expect(none.error_code).toBe('');
  if (problem === undefined) expect(row).toEqual({ ...none, elevation_m });
  else
    expect(row).toMatchObject({
      elevation_m,
      error_message: `The request is not valid: ${ELEVATION} ${problem}.`,
    });
});

test.each<[mistake: string, row: object, code: string, message: string]>([
  ['a number as text', { ...SITE, latitude: '44.12' }, 'invalid_request', `${LATITUDE} "44.12".`],
  ['null for a latitude', { ...SITE, latitude: null }, 'invalid_request', `${LATITUDE} null.`],
  ['no field at all', {}, 'invalid_request', `not nothing; ${SPECIES}; ${METHOD}.`],
  ['a species in lower case', { ...SITE, species_code: 'psme' }, 'invalid_species', PROPOSAL],
  ['an array', { ...SITE, planting_method: ['manual'] }, 'invalid_method', `${AS_METHOD} an array of 1.`],
  ['an elevation as text', { ...SITE, elevation_m: '900' }, 'invalid_request', '-10 to 4400 m, not "900".'],
])('a row of JSON lines with %s is a row with an error', async (_, row, code, message) => {
  const [good, bad] = await answerRows(`${LINE}\n${JSON.stringify(row)}\n`, { format: 'ndjson' });
  expect(good).toMatchObject({ ...SITE, region: 'US-OR', error_code: null, error_message: null });
  const error_message = expect.stringContaining(message);
  expect(bad).toMatchObject({ ...row, region: null, survival_5: null, error_code: code, error_message });
});

test.each<[mistake: string, columns: Record<string, Column>, code: string, message: string]>([
  ['a null latitude', { latitude: [new Float64(), [44, null]] }, 'invalid_request', `${LATITUDE} nothing.`],
  ['NaN', { latitude: [new Float64(), [44, Number.NaN]] }, 'invalid_request', `${LATITUDE} NaN.`],
  ['infinity', { latitude: [new Float64(), [44, -Infinity]] }, 'invalid_request', `${LATITUDE} -Infinity.`],
  ['a null species', { species_code: [new Utf8(), ['PSME', null]] }, 'invalid_request', `${SPECIES}.`],
  ['a lower-case species', { species_code: [new Utf8(), ['PSME', 'psme']] }, 'invalid_species', PROPOSAL],
  ['a null method', { planting_method: [new Utf8(), ['manual', null]] }, 'invalid_request', `${METHOD}.`],
])('a row of Arrow with %s is a row with an error', async (_, columns, code, message) => {
  const [good, bad] = await answerRows(stream(columns), { format: 'arrow' });
  expect(good.error_code).toBe(null);
  expect([bad.error_code, bad.error_message]).toEqual([code, expect.stringContaining(message)]);
});

test('fields of JSON lines that are named like options of a request, or nearly so, are ordinary columns', async () => {
  const options = {
    horizons: [1],
    include: ['site'],
    scenario: { warming_c: 99 },
    conditions: 'wet',
    horizon: 5,
  };
  const fields = { ...options, ...SITE, elevation_m: null };
  const [row] = await answerRows(JSON.stringify(fields), { format: 'ndjson' });
  expect(row).toMatchObject({ ...fields, error_code: null, survival_5: expect.any(Number) });
});
