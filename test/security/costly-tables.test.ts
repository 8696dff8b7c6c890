import {
  type DataType,
  Field,
  Float64,
  Message,
  MessageHeader,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { serviceOfFile } from '../support/service.js';

const service = await serviceOfFile({ WORKERS: '1', REQUEST_TIMEOUT_MS: '120000' });

const ARROW = 'application/vnd.apache.arrow.stream';

const post = (body: Buffer | string, type: string, accept: string) =>
  service.post('/v1/predict/table', body, { 'content-type': type, accept });

test('a table of a row in each of 1,900 record batches of 900 columns is answered', async () => {
  const body = repeatedBatches(streamOfNulls(900), 1900);
  const response = await post(body, ARROW, 'text/csv');
  expect(response.status).toBe(200);
  expect((await response.text()).match(/,US-OR,/g)).toHaveLength(1900);
});

test('tables of JSON lines that are checked together and have names of a megabyte are refused', async () => {
  const site = '"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual"';
  const line = (name: number) => `{${site},"${'x'.repeat(2 ** 20 - 200)}${name}":1}\n`;
  const body = Array.from({ length: 31 }, (_, name) => line(name)).join('');
  const type = 'application/x-ndjson';
  const responses = await Promise.all(Array.from({ length: 12 }, () => post(body, type, type)));
  for (const response of responses) await expectError(response, 422, 'invalid_request');
});

/** A stream of one row with columns that have no values. */
function streamOfNulls(columns: number): Buffer {
  const site: readonly [string, DataType, unknown][] = [
    ['latitude', new Float64(), 44.12],
    ['longitude', new Float64(), -122.03],
    ['species_code', new Utf8(), 'PSME'],
    ['planting_method', new Utf8(), 'manual'],
  ];
  const nulls = Array.from({ length: columns }, (_, column) => new Field(`c${column}`, new Null(), true));
  const fields = [...site.map(([name, type]) => new Field(name, type)), ...nulls];
  const children = [
    ...site.map(([, type, value]) => vectorFromArray([value], type).data[0]),
    ...nulls.map(({ type }) => makeData({ type, length: 1 })),
  ];
  const data = makeData({ type: new Struct(fields), length: 1, nullCount: 0, children: children as never });
  return Buffer.from(tableToIPC(new Table([new RecordBatch(new Schema(fields), data)]), 'stream'));
}

/** An Arrow stream of one record batch with that batch many times. */
function repeatedBatches(stream: Buffer, times: number): Buffer {
  const messageEnd = (at: number) => at + 8 + stream.readInt32LE(at + 4);
  let at = messageEnd(0);
  while (Message.decode(stream.subarray(at + 8, messageEnd(at))).headerType !== MessageHeader.RecordBatch)
    at = messageEnd(at) + Message.decode(stream.subarray(at + 8, messageEnd(at))).bodyLength;
  const end = messageEnd(at) + Message.decode(stream.subarray(at + 8, messageEnd(at))).bodyLength;
  const batch = stream.subarray(at, end);
  return Buffer.concat([stream.subarray(0, at), ...Array(times).fill(batch), stream.subarray(end)]);
}
