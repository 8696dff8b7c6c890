import {
  CompressionType,
  compressionRegistry,
  type DataType,
  Date_,
  type DateUnit,
  Decimal,
  Dictionary,
  DurationSecond,
  Field,
  FixedSizeList,
  Float16,
  Float64,
  Int32,
  IntervalDayTime,
  List,
  Map_,
  makeData,
  Null,
  RecordBatchStreamWriter,
  Schema,
  SparseUnion,
  Struct,
  Table,
  Time,
  Timestamp,
  type TimeUnit,
  tableFromIPC,
  tableToIPC,
  Utf8,
  Utf8View,
  Vector,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import { ApiError } from '../../../src/formats/errors/api-error.js';
import type { TableChunk, TableFormat } from '../../../src/formats/table/table-request.js';
import { seededRandom } from '../../../testing/random.js';
import { amount } from '../../support/length.js';
import { answerTable, data, open, predictor, refusalOf, tableRequest } from './support/answer-table.js';
import { arrowOf, arrowOfManyTypes, bodyOf, siteColumns } from './support/bodies.js';
import { type SampleRow, sampleRows } from './support/samples.js';

const messageOf = (body: Uint8Array | string, format: TableFormat) =>
  refusalOf(body, tableRequest({ format })).message;

const MEBIBYTES = 32;
const HEADER = 'latitude,longitude,species_code,planting_method\n';

test.each<[TableFormat, string, RegExp]>([
  ['csv', 'x', /line 1 begins a row of more than 1048576 bytes/],
  ['csv', `${HEADER}"`, /line 2 begins a row of more than 1048576 bytes/],
  ['csv', `${HEADER}"x"`, /line 2 begins a row of more than 1048576 bytes/],
  ['ndjson', '{"a":"', /line 1 has more than 1048576 bytes/],
  ['ndjson', '{"a":', /line 1 has more than 1048576 bytes/],
])('a line of 32 MiB in %s that begins with %j is refused', (format, start, problem) => {
  const fill = start.endsWith(':') ? '[' : start.endsWith('"x"') ? ' "x"' : 'x';
  const body = Buffer.alloc(MEBIBYTES * 2 ** 20, fill);
  body.write(start);
  expect(messageOf(body, format)).toMatch(problem);
});

test('a quoted field with as many quotes as it may have is read once', () => {
  const field = `"${'"x'.repeat(300_000)}${' '.repeat(400_000)}`;
  // Reading the rest of the line after each quote would take minutes and exceed the time limit of the test.
  expect(messageOf(`${HEADER}${field}\n`, 'csv')).toMatch(
    /line 2 has a quoted field with text after its quote/,
  );
});

test.each(['csv', 'ndjson'] as const)(
  '32 MiB of blank lines at the end of a table in %s are passed over',
  (format) => {
    const row = '{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual"}\n';
    const body = Buffer.alloc(MEBIBYTES * 2 ** 20, '\n');
    body.write(format === 'csv' ? `${HEADER}44.12,-122.03,PSME,manual\n` : row);
    expect(open(body, tableRequest({ format })).rowCount).toBe(1);
    expect(messageOf(body.fill(row, body.length - row.length), format)).toMatch(
      /line [23] is blank: remove it\./,
    );
    expect(messageOf(Buffer.alloc(MEBIBYTES * 2 ** 20, '\n'), format)).toMatch(
      /line 1 is blank|it has no rows/,
    );
  },
);

test('rows of nearly a MiB with quotes and line ends in every field are read in time proportional to the body', () => {
  const field = `"${'a""\n'.repeat(240_000)}"`;
  const body = `note,${HEADER}${`${field},44.12,-122.03,PSME,manual\n`.repeat(4)}`;
  const table = open(Buffer.from(body), tableRequest({ format: 'csv' }));
  expect(table.rowCount).toBe(4);
});

test('a table of 100,000 columns is refused in every format', () => {
  const names = Array.from({ length: 100_000 }, (_, column) => `c${column}`);
  expect(messageOf(`${names.join(',')}\n`, 'csv')).toMatch(
    /it has 100000 columns, and may have at most 1000\./,
  );
  const long = ['a', 'b'].map((name) => `{"${name.repeat(20_000)}":1}\n`).join('');
  expect(messageOf(`${long}[`, 'ndjson')).toMatch(
    /the names of its columns have 40000 bytes, and may have at most 32768 together\./, // before the third line
  );
  const row = Object.fromEntries(names.slice(0, 80_000).map((name) => [name, 1]));
  expect(messageOf(`${JSON.stringify(row)}\n`, 'ndjson')).toMatch(
    /line 1 brings the table to 80000 columns, and it may have at most 1000\./,
  );
  const schema = new Schema([], new Map(names.slice(0, 20_001).map((name) => [name, ''])));
  expect(messageOf(streamOf(schema), 'arrow')).toMatch(/it has more than 20000 columns and metadata\./);
  const fewer = new Schema(names.slice(0, 2000).map((name) => new Field(name, new Float64())));
  expect(messageOf(streamOf(fewer), 'arrow')).toMatch(
    /it has 2000 columns, nested ones included, and may have at most 1000:/,
  );
});

test('a struct with more columns than a table may have is refused with their number', () => {
  const structOf = (count: number) => {
    const children = Array.from({ length: count }, (_, column) => new Field(`c${column}`, new Utf8()));
    return streamOf(new Schema([new Field('struct', new Struct(children))]));
  };
  expect(messageOf(structOf(999), 'arrow')).toMatch(/it has no columns latitude, /);
  expect(messageOf(structOf(1000), 'arrow')).toBe(
    'The table is not valid: message 1 of the Arrow stream is not valid: it has 1001 columns, nested ones included, and ' +
      'may have at most 1000: leave columns out, or send nested values as texts of JSON.',
  );
});

test('a column of views in more buffers than a record batch may have is refused with their number', () => {
  const rows = sampleRows(data, 1, seededRandom(9));
  const bodyWith = (count: number) => {
    const variadicBuffers = Array.from({ length: count }, () => Buffer.alloc(0));
    const views = Buffer.alloc(16);
    const note = makeData({ type: new Utf8View(), length: 1, nullCount: 0, views, variadicBuffers });
    const table = tableFromIPC(bodyOf('arrow', rows)).assign(new Table({ note: new Vector([note]) }));
    return tableToIPC(table, 'stream');
  };
  expect(open(bodyWith(9000), tableRequest({ format: 'arrow' })).rowCount).toBe(1);
  expect(messageOf(bodyWith(10_000), 'arrow')).toMatch(
    /it has 100\d\d buffers, and may have at most 10000: write larger buffers, or texts as utf8\./,
  );
});

test('columns of lists within lists are refused beyond a depth', () => {
  let type: DataType = new Utf8();
  for (let depth = 0; depth < 100; depth++) type = new List(new Field('item', type));
  expect(messageOf(streamOf(new Schema([new Field('deep', type)])), 'arrow')).toMatch(
    /its columns are nested more than 16 levels deep\./,
  );
});

const ITEM = new Field('item', new Int32());
test.each<DataType>([
  new List(ITEM),
  new FixedSizeList(2, ITEM),
  new Struct([ITEM]),
  new Map_(new Field('entries', new Struct([new Field('key', new Utf8()), ITEM] as never[]))),
  new SparseUnion(Int32Array.of(0), [ITEM]),
  new IntervalDayTime(),
  new DurationSecond(),
  new Float16(),
  new Decimal(3, 60, 256),
  new Dictionary(new List(ITEM), new Int32()),
  // Units that do not exist.
  new Date_(2 as DateUnit),
  new Time(32_767 as TimeUnit, 64),
  new Timestamp(-1 as TimeUnit),
  new Timestamp(32_767 as TimeUnit),
])('a column of %s is refused by its name', (type) => {
  const sites = tableFromIPC(bodyOf('arrow', sampleRows(data, 1, seededRandom(1)))).schema.fields;
  const { message, details } = refusalOf(
    Buffer.from(streamOf(new Schema([...sites, new Field('other', type)]))),
    tableRequest({ format: 'arrow' }),
  );
  expect(message).toContain('its column "other" has the type ');
  expect(details).toMatchObject({ issues: [{ path: 'other' }] });
});

test.each([
  ['LZ4_FRAME', [0x04, 0x22, 0x4d, 0x18, 0x40]],
  ['ZSTD', [0x28, 0xb5, 0x2f, 0xfd, 0]],
] as const)('buffers compressed by %s are refused with the remedy', (name, magic) => {
  const type = CompressionType[name];
  compressionRegistry.set(type, { encode: () => Uint8Array.of(...magic, 0, 0, 0) });
  const writer = new RecordBatchStreamWriter({ compressionType: type });
  const rows = sampleRows(data, 100, seededRandom(1));
  writer.writeAll(tableFromIPC(bodyOf('arrow', rows)).batches);
  writer.finish();
  expect(messageOf(writer.toUint8Array(true), 'arrow')).toMatch(
    /its buffers are compressed: write the stream with compression none\./,
  );
});

test('a long dictionary text that every row refers to is refused if the answer would repeat it in each row', async () => {
  const rows = sampleRows(data, 100, seededRandom(3));
  const note = [new Dictionary(new Utf8(), new Int32()), rows.map(() => 'x'.repeat(20_000))] as const;
  const body = arrowOf({ ...siteColumns(rows), note });
  expect(open(body, tableRequest({ format: 'arrow' })).rowCount).toBe(100);
  const { message } = refusalOf(body, tableRequest({ format: 'arrow', output: 'csv' }));
  expect(message).toMatch(
    /the dictionaries of its columns add up to 20004 bytes per row, and may have at most 16384: send /,
  );
});

test('a long dictionary text in the species codes is refused in every format, because each row would read it', () => {
  const codes = [...Array.from({ length: 1100 }, (_, code) => `${code}`), 'x'.repeat(20_000)];
  const rows = sampleRows(data, codes.length, seededRandom(3));
  const species_code = [new Dictionary(new Utf8(), new Int32()), codes] as const;
  expect(messageOf(arrowOf({ ...siteColumns(rows), species_code }), 'arrow')).toMatch(
    /the dictionaries of its columns add up to 20000 bytes per row, and may have at most 16384: send /,
  );
});

test('a dictionary of nulls, which have no bytes, is refused if it claims too many', () => {
  const dictionary = new Vector([makeData({ type: new Null(), length: 2 ** 24 + 1 })]);
  const type = new Dictionary(new Null(), new Int32());
  const note = new Vector([makeData({ type, length: 1, nullCount: 0, data: Int32Array.of(7), dictionary })]);
  const sites = tableFromIPC(bodyOf('arrow', sampleRows(data, 1, seededRandom(3))));
  const body = tableToIPC(sites.assign(new Table({ note })), 'stream');
  expect(messageOf(body, 'arrow')).toMatch(/it has 16777217 values, and may have at most 16777216\./);
});

test('a message with metadata of more than a MiB is refused', () => {
  const fields = [new Field('latitude', new Float64())];
  const ofSchema = new Schema(fields, new Map([['note', 'x'.repeat(2 ** 20)]]));
  const pattern = /its metadata has 10\d{5} bytes, and may have at most 1048576\./;
  expect(messageOf(streamOf(ofSchema), 'arrow')).toMatch(pattern);
  const ofField = new Schema([new Field('x', new Utf8(), true, new Map([['note', 'é'.repeat(2 ** 19)]]))]);
  expect(messageOf(streamOf(ofField), 'arrow')).toMatch(pattern);
});

test.each([
  ['csv', `${','.repeat(300)}\n`, '\n'],
  ['ndjson', '}\n', `${Array.from({ length: 300 }, (_, column) => `,"c${column}":null`).join('')}}\n`],
] as const)(
  'a table in %s of many columns becomes record batches of fewer cells',
  async (format, end, first) => {
    const isCsv = format === 'csv';
    const names = Array.from({ length: 300 }, (_, column) => `c${column}`);
    const rowOf = (plot: number) =>
      isCsv
        ? `44.12,-122.03,PSME,manual,${plot}${end}`
        : `{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual","plot":"${plot}"${plot === 0 ? first : end}`;
    const body =
      (isCsv ? `${HEADER.trim()},plot,${names}${first}` : '') +
      Array.from({ length: 1500 }, (_, i) => rowOf(i)).join('');
    const request = tableRequest({ format, output: 'arrow' });
    const answer = tableFromIPC(await answerTable(body, request, 1500));
    expect(Math.max(...answer.batches.map(({ numRows }) => numRows))).toBeLessThan(2 ** 18 / 300);
    expect([...(answer.getChild('plot') ?? [])]).toEqual(Array.from({ length: 1500 }, (_, i) => `${i}`));
  },
);

/** A table of rows with a column of views that all refer to the same text. */
function tableOfViews(rows: readonly SampleRow[], text: string): Uint8Array {
  const views = Buffer.alloc(16 * rows.length);
  for (const row of rows.keys()) views.writeInt32LE(text.length, 16 * row);
  const note = makeData({
    type: new Utf8View(),
    length: rows.length,
    nullCount: 0,
    views,
    variadicBuffers: [Buffer.from(text)],
  });
  const table = tableFromIPC(bodyOf('arrow', rows)).assign(new Table({ note: new Vector([note]) }));
  return tableToIPC(table, 'stream');
}

test('a row with longer texts than CSV and JSON lines may have is refused if the answer would be one of these', () => {
  const rows = sampleRows(data, 3, seededRandom(6));
  const notes = ['', 'x'.repeat(2 ** 20 + 1), ''];
  const body = arrowOf({ ...siteColumns(rows), note: [new Utf8(), notes] });
  expect(open(body, tableRequest({ format: 'arrow' })).rowCount).toBe(3);
  const { message } = refusalOf(body, tableRequest({ format: 'arrow', output: 'ndjson' }));
  expect(message).toMatch(
    /row 2 of record batch 1 has texts of 10485\d\d bytes, and may have at most 1048576: ask for an Arrow stream\./,
  );
});

test('32 rows of a megabyte of quotes each are answered', async () => {
  const row = `44.12,-122.03,PSME,manual,"${'""'.repeat(2 ** 19 - 50)}"\n`;
  const request = tableRequest({ format: 'csv' });
  const body = `${HEADER.trim()},note\n${row.repeat(MEBIBYTES)}`;
  const answer = await answerTable(body, request);
  expect(answer.toString('latin1').split(row.slice(0, -1))).toHaveLength(MEBIBYTES + 1);
});

test('views that refer to the same long text are refused before each is checked', () => {
  const rows = sampleRows(data, 100_000, seededRandom(4));
  // Reading every one of them would take minutes and exceed the time limit of the test.
  expect(messageOf(tableOfViews(rows, 'x'.repeat(20 * 2 ** 20)), 'arrow')).toMatch(
    /texts of views share their bytes and have up to 20971520 in a row/,
  );
});

test('views may refer to the same text many times if it is short, and come back as texts', async () => {
  const rows = sampleRows(data, 2000, seededRandom(4));
  const text = 'Riverside Fire, unit 12 '.repeat(100);
  const body = tableOfViews(rows, text);
  const answer = tableFromIPC(await answerTable(body, tableRequest({ format: 'arrow' })));
  expect([...(answer.getChild('note') ?? [])]).toEqual(rows.map(() => text));
  expect(messageOf(tableOfViews(rows, 'x'.repeat(5000)), 'arrow')).toMatch(
    /texts of views share their bytes and have up to 5000 in a row, where 4096 are allowed: send these columns as utf8\./,
  );
});

test.each(['csv', 'ndjson'] as const)(
  'an answer in %s whose rows are far larger than those of the table has chunks of at most 4 MiB and a row',
  async (output) => {
    const rows = sampleRows(data, 2000, seededRandom(5));
    const body = tableOfViews(rows, '"\u0001'.repeat(2000)); // CSV doubles quotes, and JSON escapes both
    const { table, state } = open(body, tableRequest({ format: 'arrow', output }));
    const lengths: number[] = [];
    let rowCount = 0;
    for (let [chunk]: (TableChunk | undefined)[] = [...state.chunks]; chunk !== undefined; ) {
      const { bytes, outcomes, rest } = await table.answer(state, chunk, predictor, () => false);
      lengths.push(bytes.length);
      for (const count of outcomes.values()) rowCount += count;
      chunk = rest;
    }
    expect(rowCount).toBe(rows.length);
    expect(lengths.reduce((sum, length) => sum + length)).toBeGreaterThan(rows.length * 6000);
    expect(Math.max(...lengths)).toBeLessThan(2 ** 22 + 20_000);
  },
);

test('an Arrow stream with any one number set to its maximum is read or refused in bounded memory', async () => {
  const whole = arrowOfManyTypes(sampleRows(data, 5, seededRandom(2)));
  let refused = 0;
  const values = [0x7fffffff, 0xffffffff, 0x80000000, 0x00ffffff];
  for (let at = 0; at + 4 <= whole.length; at += amount({ short: 12, long: 4 })) {
    for (const value of values.slice(0, amount({ short: 2, long: 4 }))) {
      const body = Buffer.from(whole);
      body.writeUInt32LE(value, at);
      try {
        const request = tableRequest({ format: 'arrow', output: 'csv' });
        await answerTable(body, request);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(whole.length / 40);
});

function streamOf(schema: Schema): Uint8Array {
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  writer.finish();
  return writer.toUint8Array(true);
}
