import { expect } from 'vitest';
import { answerEncoder, elementCapacity } from '../../../src/formats/json/answer-encoder.js';
import type { Predictor } from '../../../src/prediction/predictor.js';
import type { PredictorData } from '../../../src/prediction/predictor-data.js';
import { ROW_STATUS, type RowAnswers, type SiteRows } from '../../../src/prediction/site-rows.js';

/** The codes of the errors that a row's status stands for. */
export const STATUS_CODES: Readonly<Record<number, string>> = {
  [ROW_STATUS.outsideCoverage]: 'outside_coverage',
  [ROW_STATUS.noNearbyData]: 'no_nearby_data',
  [ROW_STATUS.elevationMismatch]: 'elevation_mismatch',
};

/** Answers rows into new memory of exactly the documented capacity. */
export async function answer(predictor: Predictor, data: PredictorData, rows: SiteRows): Promise<RowAnswers> {
  const answers = {
    status: new Uint8Array(rows.count),
    ends: new Uint32Array(rows.count),
    json: new Uint8Array(rows.count * elementCapacity(data)),
  };
  await answerEncoder(predictor).answer(rows, answers);
  return answers;
}

/** The outcome of each row: its element's JSON text or the code of its error. */
export function elementsOf({ status, ends, json }: RowAnswers): string[] {
  return Array.from(status, (rowStatus, row) => {
    const element = Buffer.from(json.subarray(row === 0 ? 0 : ends[row - 1], ends[row])).toString();
    if (rowStatus === ROW_STATUS.answered) {
      expect(element.endsWith(',')).toBe(true);
      return element.slice(0, -1);
    }
    expect(element).toBe('');
    return STATUS_CODES[rowStatus];
  });
}
