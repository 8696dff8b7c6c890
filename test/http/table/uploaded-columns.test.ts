import { Bool, Float64, Int32, LargeUtf8, Schema, Table, tableFromIPC, tableToIPC, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import type { TableFormat } from '../../../src/formats/table/table-request.js';
import { seededRandom } from '../../../testing/random.js';
import { amount } from '../../support/length.js';
import { PREDICT_REQUEST } from '../../support/requests.js';
import { answerRows, answerTable, data, tableRequest } from './support/answer-table.js';
import { arrowOf, arrowOfManyTypes, siteColumns } from './support/bodies.js';
import { writePlainCsv } from './support/plain-csv.js';
import { readAnswer } from './support/read-answer.js';
import { sampleRows } from './support/samples.js';

const FORMATS: readonly TableFormat[] = ['csv', 'ndjson', 'arrow'];
const PIECES = ['', '""', '\r\n', '日本', '\\n', '=1+1', ...'",\n\r aé🌲\\\t\u0000\u2028'];
const SITE = ['44.12', '-122.03', 'PSME', 'manual'];
const HEADER = ['latitude', 'longitude', 'species_code', 'planting_method'];

/** Cells with everything that CSV and JSON treat in a special way. */
function oddCell(random: () => number): string {
  return Array.from(
    { length: Math.floor(5 * random()) },
    () => PIECES[Math.floor(PIECES.length * random())],
  ).join('');
}

test.each(FORMATS)('texts of any characters come back unchanged from every format in %s', async (output) => {
  const random = seededRandom(20_261_124);
  for (let round = 0; round < amount({ short: 10, long: 300 }); round++) {
    const names = ['first', `odd ${oddCell(random)}`, 'last'];
    const rows = Array.from({ length: 30 }, () => names.map(() => oddCell(random)));
    const texts = [...rows.entries()].map(([, [first, ...others]]) => [first, ...SITE, ...others]);
    const table = [[names[0], ...HEADER, ...names.slice(1)], ...texts];
    const column = (index: number) => rows.map((row) => row[index]);
    const bodies: Readonly<Record<TableFormat, string | Uint8Array>> = {
      csv: writePlainCsv(table, random() < 0.5 ? '\n' : '\r\n', random() < 0.5),
      ndjson: rows
        .map((row) => {
          const cells = Object.fromEntries(names.map((name, index) => [name, row[index]]));
          return JSON.stringify({ ...cells, ...PREDICT_REQUEST });
        })
        .join('\n'),
      arrow: arrowOf({
        [names[0]]: [new Utf8(), column(0)],
        latitude: [new Float64(), rows.map(() => 44.12)],
        longitude: [new Float64(), rows.map(() => -122.03)],
        species_code: [new Utf8(), rows.map(() => 'PSME')],
        planting_method: [new Utf8(), rows.map(() => 'manual')],
        [names[1]]: [new LargeUtf8(), column(1)],
        [names[2]]: [new Utf8(), column(2)],
      }),
    };
    for (const format of FORMATS) {
      const answer = await answerTable(bodies[format], tableRequest({ format, output }), 7);
      const answered = readAnswer(answer, output);
      expect(answered.map((row) => names.map((name) => row[name]))).toEqual(rows);
      expect(answered.every(({ survival_5 }) => survival_5 !== null && survival_5 !== '')).toBe(true);
    }
  }
});

test('a CSV table without quotes comes back byte for byte, with our columns after its own', async () => {
  const lines = [
    'note,latitude,longitude,species_code,planting_method',
    '  é ,044.120,-122.03000,PSME,manual',
  ];
  const answer = await answerTable(`${lines.join('\r\n')}\r\n`, tableRequest({ format: 'csv' }));
  const answered = answer.toString().split('\r\n');
  expect(answered.map((line, index) => line.startsWith(`${lines[index]},`)).slice(0, 2)).toEqual([
    true,
    true,
  ]);
});

test('a CR within a cell of CSV comes back in quotes, or readers would end the row there', async () => {
  const answer = await answerTable(`${HEADER},note\n${SITE},a\rb\n`, tableRequest({ format: 'csv' }));
  expect(answer.toString().split('\n')[1]).toMatch(`${SITE},"a\rb",`);
});

test('the members of JSON lines come back byte for byte, with our fields after them', async () => {
  const members =
    '{ "id" : 12345678901234567890, "a":1.10, "b":{"c":[1, 2]},"latitude":4.412e1,"longitude":-122.03,';
  const body = `  ${members}"species_code":"PS\\u004dE","planting_method":"manual" } \r\n`;
  const answer = (await answerTable(body, tableRequest({ format: 'ndjson' }))).toString();
  expect(
    answer.startsWith(
      `${members}"species_code":"PS\\u004dE","planting_method":"manual" ,"matched_latitude":`,
    ),
  ).toBe(true);
  expect(answer.endsWith('"error_code":null,"error_message":null}\n')).toBe(true);
});

test('the columns of JSON lines are all names in the order in which they appear first', async () => {
  const body = [
    { a: 1, ...PREDICT_REQUEST },
    { b: 'x', ...PREDICT_REQUEST, a: null },
    { ...PREDICT_REQUEST, c: { d: [1, '"'] }, a: 2.5, b: true },
  ]
    .map((row) => JSON.stringify(row))
    .join('\n');
  const csv = await answerRows(body, { format: 'ndjson', output: 'csv' });
  expect(Object.keys(csv[0]).slice(0, 7)).toEqual(['a', ...HEADER, 'b', 'c']);
  expect(csv.map(({ a, b, c }) => [a, b, c])).toEqual([
    ['1', '', ''],
    ['', 'x', ''],
    ['2.5', 'true', '{"d":[1,"\\""]}'],
  ]);
});

test('columns of JSON lines are numbers, booleans or texts in Arrow, and integers beyond 2^53 keep their digits', async () => {
  const site = '"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual"';
  const body = [
    `{${site},"number":1.5,"flag":true,"mixed":1,"id":9007199254740993,"list":[1]}`,
    `{${site},"number":null,"flag":null,"mixed":"a","id":1}`,
    `{${site},"number":-122.03999999999999,"flag":false,"mixed":false,"id":2,"list":null}`,
  ].join('\n');
  const answer = await answerTable(body, tableRequest({ format: 'ndjson', output: 'arrow' }));
  const types = tableFromIPC(answer).schema.fields.map(({ name, type }) => [name, String(type)]);
  expect(Object.fromEntries(types)).toMatchObject({
    number: String(new Float64()),
    flag: String(new Bool()),
    mixed: String(new Utf8()),
    id: String(new Utf8()),
    list: String(new Utf8()),
  });
  const rows = readAnswer(answer, 'arrow');
  expect(rows.map(({ number, flag, mixed, id, list }) => [number, flag, mixed, id, list])).toEqual([
    [1.5, true, '1', '9007199254740993', '[1]'],
    [null, null, 'a', '1', null],
    [-122.03999999999999, false, 'false', '2', null],
  ]);
});

test('the columns of an Arrow stream come back with their types, values, nulls and metadata', async () => {
  const body = arrowOfManyTypes(sampleRows(data, 100, seededRandom(5)));
  const before = tableFromIPC(body);
  for (const runRows of [1, 7, 8, 100]) {
    const request = tableRequest({ format: 'arrow' });
    const after = tableFromIPC(await answerTable(body, request, runRows));
    for (const field of before.schema.fields) {
      const same = after.schema.fields.find(({ name }) => name === field.name);
      const type = field.name === 'view' ? new Utf8() : field.type; // views come back as utf8
      expect([String(same?.type), same?.nullable]).toEqual([String(type), field.nullable]);
      const values = (table: typeof before) =>
        [...table.getChild(field.name)!].map((value) => JSON.stringify(value, plain));
      expect(values(after)).toEqual(values(before));
    }
  }
});

test('the metadata of an Arrow schema come back, but under the key model with those of the answer', async () => {
  const [batch] = tableFromIPC(arrowOf(siteColumns(sampleRows(data, 3, seededRandom(5))))).batches;
  const metadata = new Map([
    ['note', 'mine'],
    ['model', 'mine'],
  ]);
  const body = tableToIPC(new Table(new Schema(batch.schema.fields, metadata), [batch]), 'stream');
  const answer = await answerTable(body, tableRequest({ format: 'arrow' }));
  const after = tableFromIPC(answer).schema.metadata;
  expect(after.get('note')).toBe('mine');
  expect(JSON.parse(after.get('model') ?? '')).toHaveProperty('outcomes');
});

/** BigInt is no JSON. */
function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

test('a table with more rows than a one-byte index can count is answered in runs of any size', async () => {
  const rows = sampleRows(data, 300, seededRandom(6));
  const body = arrowOf({ ...siteColumns(rows), row: [new Int32(), rows.map((_, row) => row)] });
  const answers = await Promise.all(
    [1, 64, 300].map((runRows) =>
      answerTable(body, tableRequest({ format: 'arrow', output: 'csv' }), runRows),
    ),
  );
  expect(new Set(answers.map(String)).size).toBe(1);
});

test('a CSV header alone is an empty table', async () => {
  const header = HEADER.join();
  for (const body of [header, `${header}\n`, `${header}\r\n\r\n`]) {
    const answer = (await answerTable(body, tableRequest({ format: 'csv' }))).toString();
    expect(answer).toMatch(new RegExp(`^${header},matched_latitude,[^\n]*\n$`));
  }
});

test('a byte order mark, CRLF and numbers in quotes or white space change no answer, and quotes within a name are part of it', async () => {
  const header = HEADER.join();
  const [named] = await answerRows(`a;b 5" x,${header}\nq,${SITE.join()}\n`, { format: 'csv' });
  expect(named['a;b 5" x']).toBe('q');
  const [plain] = await answerRows(`${header}\n${SITE.join()}\n`, { format: 'csv' });
  const others = `\ufeff${header}\r\n"44.12", -122.03 ,PSME,"manual"\r\n`;
  const [answered] = await answerRows(others, { format: 'csv' });
  expect(Object.values(answered).slice(4)).toEqual(Object.values(plain).slice(4));
  const answer = (await answerTable(others, tableRequest({ format: 'csv' }))).toString();
  expect(answer.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(answer).toMatch(/^\ufefflatitude,/); // Excel needs the mark
  const lines = (await answerTable(others, tableRequest({ format: 'csv', output: 'ndjson' }))).toString();
  expect(lines).toMatch(/^\{"latitude"/);
});
