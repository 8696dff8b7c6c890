import { RecordBatchStreamWriter, tableFromIPC } from 'apache-arrow';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../testing/random.js';
import { answerTable, data, tableRequest } from './support/answer-table.js';
import { bodyOf } from './support/bodies.js';
import { readAnswer } from './support/read-answer.js';
import { sampleRows } from './support/samples.js';

test('the rows of record batches of any size, several in a job, have the answers that they have in one batch', async () => {
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

  const request = tableRequest({ format: 'arrow', intervals: true });
  const answerOf = async (body: Uint8Array) => readAnswer(await answerTable(body, request, 25), 'arrow');
  expect(await answerOf(writer.toUint8Array(true))).toEqual(await answerOf(Buffer.from(whole)));
});
