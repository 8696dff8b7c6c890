import { expect, test } from 'vitest';
import { readArtefacts } from '../../src/prediction/artefacts/artefacts.js';
import { openPredictor } from '../../src/prediction/open-predictor.js';
import { RowRecords } from '../../src/prediction/row-record.js';
import { createPlainPredictor } from '../../testing/oracle/plain-prediction.js';
import { readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { seededRandom } from '../../testing/random.js';
import { amount } from '../support/length.js';
import { STATUS_CODES } from './support/elements.js';
import { addIntervalModels } from './support/interval-models.js';
import { numbersOfAnswer, numbersOfRecord } from './support/record-answers.js';
import { expectSameAnswer } from './support/same-answer.js';
import { plainAnswer, randomRequests, rowsOf } from './support/site-requests.js';

const GENERATED_AT = new Date('2026-11-22T10:00:00Z');

test('records have the numbers of the plain implementation', async () => {
  const copy = new ProjectCopy();
  addIntervalModels(copy);
  const data = { ...readPredictorData(), ...readArtefacts(copy.dataDir, copy.modelDir) };
  const predictor = await openPredictor(data);
  const oracle = await createPlainPredictor(copy.dataDir, copy.modelDir, searchRadiusKm);
  copy.remove();
  const random = seededRandom(22);
  const rowCount = amount({ short: 600, long: 20_000 });
  const seen: Record<string, number> = { answered: 0, elevation_mismatch: 0, outside_coverage: 0 };
  for (let sent = 0; sent < rowCount; sent += 200) {
    const requests = randomRequests(data, 200, random, 0.6);
    const rows = rowsOf(requests, GENERATED_AT, data);
    const records = RowRecords.create(rows);
    await predictor.predict(rows, records);
    for (const [row, request] of requests.entries()) {
      const plain = await plainAnswer(oracle, data, request, GENERATED_AT);
      const kind = STATUS_CODES[records.status[row]] ?? 'answered';
      seen[kind] = (seen[kind] ?? 0) + 1;
      if (typeof plain === 'string') expect(kind).toBe(plain);
      else {
        expect(kind).toBe('answered');
        const numbers = numbersOfRecord(data, records, row, request);
        expectSameAnswer(JSON.stringify(numbers), JSON.stringify(numbersOfAnswer(plain)));
      }
    }
  }
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(rowCount / 80);
});
