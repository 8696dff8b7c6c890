import { RecordBatchStreamWriter, tableFromIPC, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import type { TableFormat } from '../../../src/formats/table/table-request.js';
import { CHUNK_BYTES } from '../../../src/formats/text/lines.js';
import { seededRandom } from '../../../testing/random.js';
import { data, open, tableRequest } from './support/answer-table.js';
import { arrowOf, bodyOf, siteColumns } from './support/bodies.js';
import { sampleRows } from './support/samples.js';

const MAX_ROWS = 2000;
const SITE = '44.12,-122.03,PSME,manual';
const NAMES = 'latitude,longitude,species_code,planting_method';
const OBJECT = '"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual"';

/** The numbers of rows of the chunks of a table, in their order. */
function chunksOf(body: string | Uint8Array, format: TableFormat): number[] {
  const request = tableRequest({ format, chunkRows: MAX_ROWS });
  const { state, rowCount } = open(Buffer.from(body), request);
  let row = 0;
  for (const { from, count } of state.chunks) {
    expect(from).toBe(row);
    row += count;
  }
  expect(row).toBe(rowCount);
  return state.chunks.map(({ count }) => count);
}

test.each([
  ['csv', (note: string) => `${SITE},${note}\n`, `${NAMES},note\n`],
  ['ndjson', (note: string) => `{${OBJECT},"note":"${note}"}\n`, ''],
] as const)('a chunk of rows in %s has at most a megabyte, or is one row', (format, rowOf, head) => {
  const random = seededRandom(7);
  const rows = Array.from({ length: 500 }, (_, i) =>
    rowOf('x'.repeat(random() * (i % 50 === 0 ? 1e6 : 20_000))),
  );
  const chunks = chunksOf(head + rows.join(''), format);
  let row = 0;
  for (const count of chunks) {
    const ofChunk = rows.slice(row, row + count);
    const bytes = ofChunk.join('').length;
    const next = rows[row + count]?.length ?? CHUNK_BYTES;
    if (count > 1) expect(bytes).toBeLessThanOrEqual(CHUNK_BYTES);
    expect(bytes + next).toBeGreaterThan(CHUNK_BYTES); // it could not have one more
    row += count;
  }
  expect(row).toBe(rows.length);
});

test('a chunk of short rows has the maximum of rows, and one of many columns a quarter of a million cells', () => {
  expect(chunksOf(`${NAMES}\n${`${SITE}\n`.repeat(5000)}`, 'csv')).toEqual([2000, 2000, 1000]);
  const columns = Array.from({ length: 996 }, (_, column) => `c${column}`);
  const wide = `${SITE}${','.repeat(996)}\n`.repeat(1000);
  for (const count of chunksOf(`${NAMES},${columns}\n${wide}`, 'csv').slice(0, -1)) expect(count).toBe(263); // a quarter of a million cells of 1,000 columns;
});

test('a chunk of an Arrow stream has the rows of many small record batches, and at most 4 MiB, or is one row', () => {
  const rows = sampleRows(data, 300, seededRandom(8));
  const [batch] = tableFromIPC(bodyOf('arrow', rows)).batches;
  const writer = new RecordBatchStreamWriter();
  for (let times = 0; times < 10; times++)
    for (const ends of ['0-100', '100-100', '100-103', '103-300'])
      writer.write(batch.slice(...(ends.split('-').map(Number) as [number, number])));
  writer.finish();
  expect(chunksOf(writer.toUint8Array(true), 'arrow')).toEqual([1903, 1097]); // 2,000 rows would end within a batch

  const withNotes = (bytes: number) => {
    const note = [new Utf8(), rows.map(() => 'x'.repeat(bytes))] as const;
    return chunksOf(arrowOf({ ...siteColumns(rows), note }), 'arrow');
  };
  expect(withNotes(2 ** 15)).toEqual([127, 127, 46]); // 128 notes are 4 MiB
});
