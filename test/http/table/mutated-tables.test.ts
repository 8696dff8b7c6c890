import { tableFromIPC } from 'apache-arrow';
import { expect, test } from 'vitest';
import type { TableFormat } from '../../../src/formats/table/table-request.js';
import { ApiError } from '../../../src/prediction/errors/api-error.js';
import { seededRandom } from '../../../testing/random.js';
import { amount } from '../../support/length.js';
import { mutateBytes } from '../../support/mutate-bytes.js';
import { answerTable, data, tableRequest } from './support/answer-table.js';
import { arrowOfManyTypes, bodyOf } from './support/bodies.js';
import { parsePlainCsv } from './support/plain-csv.js';
import { sampleRows } from './support/samples.js';

const FORMATS: readonly TableFormat[] = ['csv', 'ndjson', 'arrow'];

/** Fails where an answer cannot be read by others. */
function expectReadable(answer: Buffer, format: TableFormat): void {
  if (format === 'arrow') tableFromIPC(answer).toString();
  else if (format === 'ndjson')
    for (const line of answer.toString().split('\n').slice(0, -1)) JSON.parse(line);
  else expect(new Set(parsePlainCsv(answer.toString()).map(({ length }) => length)).size).toBe(1);
}

test.each(FORMATS)(
  'a damaged table in %s is answered readably or refused with a 4xx, whatever was changed',
  async (format) => {
    const random = seededRandom(20_261_123);
    const seen = { answered: 0, refused: 0 };
    for (let round = 0; round < amount({ short: 400, long: 10_000 }); round++) {
      const rows = sampleRows(data, 1 + Math.floor(12 * random()), random);
      const body = format === 'arrow' && round % 2 === 0 ? arrowOfManyTypes(rows) : bodyOf(format, rows);
      const output = FORMATS[round % FORMATS.length];
      const request = tableRequest({ format, output, rowLimit: 10 });
      try {
        expectReadable(await answerTable(mutateBytes(Buffer.from(body), random), request, 5), output);
        seen.answered++;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        expect(error.status).toBe(422);
        expect(error.message).toMatch(/^[A-Z].*\.$/s);
        seen.refused++;
      }
    }
    expect(seen.answered).toBeGreaterThan(5);
    expect(seen.refused).toBeGreaterThan(5);
  },
);
