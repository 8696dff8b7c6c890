import {
  Binary,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  LargeUtf8,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import type { TableFormat } from '../../../src/formats/table/table-request.js';
import { seededRandom } from '../../../testing/random.js';
import { answerRows, answerTable, data, refusalOf, tableRequest } from './support/answer-table.js';
import { arrowOf, bodyOf, type Column } from './support/bodies.js';
import { readAnswer } from './support/read-answer.js';
import { sampleRows } from './support/samples.js';

const request = tableRequest({ format: 'arrow' });

const SITES: Record<string, Column> = {
  latitude: [new Float64(), [44.12, 45.5]],
  longitude: [new Float64(), [-122.03, -123.2]],
  species_code: [new Utf8(), ['PSME', 'TSHE']],
  planting_method: [new Utf8(), ['manual', 'drone_seeded']],
};
const stream = (columns: Record<string, Column>) => arrowOf({ ...SITES, ...columns });

test('an Arrow stream is read wherever in memory it starts', async () => {
  const body = stream({});
  for (let offset = 0; offset < 8; offset++) {
    const moved = Buffer.alloc(offset + body.length);
    moved.set(body, offset);
    const answer = tableFromIPC(await answerTable(moved.subarray(offset), request));
    expect([...(answer.getChild('latitude') ?? [])]).toEqual([44.12, 45.5]);
  }
});

test('an empty name of a column, which Arrow for JavaScript leaves out, stays empty', async () => {
  const body = stream({ '': [new Int32(), [1, 2]] });
  const answerIn = (output: TableFormat) => answerTable(body, tableRequest({ format: 'arrow', output }));
  expect(readAnswer(await answerIn('ndjson'), 'ndjson').map((row) => row[''])).toEqual([1, 2]);
  expect(readAnswer(await answerIn('csv'), 'csv').map((row) => row[''])).toEqual(['1', '2']);
  expect((await answerIn('arrow')).includes('null')).toBe(false);
  const bytes = stream({ '': [new Binary(), [null, null]] });
  expect(refusalOf(bytes, tableRequest({ format: 'arrow', output: 'csv' })).message).toMatch(
    /^The table is not valid: its column "" has the type Binary,/,
  );
});

test('a column of bytes is returned in Arrow, and refused by its name in text formats', async () => {
  const body = stream({ shape: [new Binary(), [Buffer.from('a'), null]] });
  const [first, second] = await answerRows(body, { format: 'arrow' });
  expect([first.shape, second.shape]).toEqual([Uint8Array.from(Buffer.from('a')), null]);
  expect(refusalOf(body, tableRequest({ format: 'arrow', output: 'csv' })).message).toBe(
    'The table is not valid: its column "shape" has the type Binary, which is not written as CSV: remove it, or ask for ' +
      'an Arrow stream.',
  );
});

test.each<[types: string, columns: Record<string, Column>]>([
  ['64-bit integers', { latitude: [new Int64(), [44n, 45n]], longitude: [new Int64(), [-122n, -123n]] }],
  ['16-bit integers', { latitude: [new Int16(), [44, 45]], longitude: [new Int16(), [-122, -123]] }],
  ['float32', { latitude: [new Float32(), [44, 45]], longitude: [new Float32(), [-122, -123]] }],
  [
    'decimals',
    {
      latitude: [new Decimal(2, 10, 128), [Uint32Array.of(4400, 0, 0, 0), Uint32Array.of(4500, 0, 0, 0)]],
      longitude: [
        new Decimal(-1, 3, 128),
        // 12 and 13 tens below zero: the second row is another place.
        [-12, -13].map((tens) => Uint32Array.of(tens, -1, -1, -1)),
      ],
    },
  ],
  [
    'large and dictionary texts',
    {
      latitude: [new Float64(), [44, 45]],
      longitude: [new Float64(), [-122, -123]],
      species_code: [new Dictionary(new LargeUtf8(), new Int32()), ['PSME', 'TSHE']],
      planting_method: [new LargeUtf8(), ['manual', 'drone_seeded']],
    },
  ],
])('coordinates and codes are read from %s', async (types, columns) => {
  const plain = { latitude: [44, 45], longitude: types === 'decimals' ? [-120, -130] : [-122, -123] };
  const same = stream({
    latitude: [new Float64(), plain.latitude],
    longitude: [new Float64(), plain.longitude],
  });
  const answers = await Promise.all(
    [stream(columns), same].map((body) => answerRows(body, { format: 'arrow' })),
  );
  const [ours, expected] = answers.map((rows) => rows.map((row) => Object.values(row).slice(4)));
  expect(ours).toEqual(expected);
});

test('a table of several record batches with growing and replaced dictionaries is one table', async () => {
  const text = new Utf8();
  const type = new Dictionary(text, new Int32(), 7);
  const [first, second, third] = ['PSME', 'TSHE', 'ALRU'].map((code) => vectorFromArray([code], text));
  const grown = first.concat(second);
  const batches = [
    { dictionary: first, indexes: [0, 0], codes: ['PSME', 'PSME'] },
    { dictionary: grown, indexes: [1, 0, 1], codes: ['TSHE', 'PSME', 'TSHE'] },
    { dictionary: grown, indexes: [], codes: [] },
    { dictionary: third, indexes: [0], codes: ['ALRU'] },
  ];
  const writer = new RecordBatchStreamWriter();
  const plots: number[] = [];
  for (const { dictionary, indexes } of batches) {
    const length = indexes.length;
    const numbers = (value: number) =>
      makeData({ type: new Float64(), data: new Float64Array(length).fill(value) });
    for (const _ of indexes) plots.push(plots.length);
    writer.write(
      new RecordBatch({
        latitude: numbers(44.12),
        longitude: numbers(-122.03),
        species_code: makeData({ type, length, nullCount: 0, data: Int32Array.from(indexes), dictionary }),
        planting_method: vectorFromArray(
          indexes.map(() => 'manual'),
          text,
        ).data[0],
        plot: makeData({ type: new Float64(), data: Float64Array.from(plots.slice(plots.length - length)) }),
      }),
    );
  }
  writer.finish();
  const codes = batches.flatMap((batch) => batch.codes);
  for (const output of ['csv', 'ndjson', 'arrow'] as const) {
    const rows = await answerRows(writer.toUint8Array(true), { format: 'arrow', output }, 4);
    expect(rows.map(({ species_code, plot }) => [species_code, Number(plot)])).toEqual(
      codes.map((code, plot) => [code, plot]),
    );
    expect(rows.every(({ error_code }) => !error_code)).toBe(true);
  }
});

test('floating-point numbers keep the sign of zero as text', async () => {
  const body = stream({
    single: [new Float32(), [-0, 0]],
    double: [new Float64(), [-0, 0]],
  });
  for (const output of ['csv', 'ndjson'] as const) {
    const zeros = (await answerRows(body, { format: 'arrow', output })).map((row) =>
      [row.single, row.double].map(Number),
    );
    expect(zeros.flat()).toEqual([-0, -0, 0, 0]);
  }
});

test('dates beyond what ISO 8601 shows are written as numbers of their unit with all their digits', async () => {
  const days = makeData({ type: new DateDay(), data: Int32Array.of(100_000_001, 0) });
  const milliseconds = makeData({
    type: new DateMillisecond(),
    data: BigInt64Array.of(4_611_686_018_427_387_905n, -1n),
  });
  const table = tableFromIPC(stream({})).assign(
    new Table({ days: new Vector([days]), milliseconds: new Vector([milliseconds]) }),
  );
  const rows = await answerRows(tableToIPC(table, 'stream'), { format: 'arrow', output: 'csv' });
  expect(rows).toMatchObject([
    { days: '100000001', milliseconds: '4611686018427387905' },
    { days: '1970-01-01', milliseconds: '1969-12-31' },
  ]);
});

test('dates are written as ISO 8601 and 64-bit integers with all their digits', async () => {
  const body = stream({
    day: [new DateDay(), [new Date('2026-11-22'), null]],
    id: [new Int64(), [9_007_199_254_740_993n, -1n]],
  });
  expect(await answerRows(body, { format: 'arrow', output: 'csv' })).toMatchObject([
    { day: '2026-11-22', id: '9007199254740993' },
    { day: '', id: '-1' },
  ]);
  const json = await answerTable(body, tableRequest({ format: 'arrow', output: 'ndjson' }));
  expect(json.toString()).toContain('"day":"2026-11-22","id":9007199254740993,');
});

test('the rows of record batches of any size have the answers that they have in one batch', async () => {
  const whole = bodyOf('arrow', sampleRows(data, 60, seededRandom(20_261_123)));
  const [batch] = tableFromIPC(whole).batches;
  const writer = new RecordBatchStreamWriter();
  let from = 0;
  for (const rows of [3, 11, 1, 16, 2, 27]) {
    writer.write(batch.slice(from, from + rows));
    from += rows;
  }
  expect(from).toBe(batch.numRows);
  writer.finish();
  const answerOf = (body: Uint8Array) => answerRows(body, { format: 'arrow', intervals: true }, 25);
  expect(await answerOf(writer.toUint8Array(true))).toEqual(await answerOf(whole));
});
