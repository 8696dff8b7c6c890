import { expect } from 'vitest';
import { ROW_STATUS, type RowAnswers } from '../../../src/prediction/site-rows.js';

/** What became of each row: its element's JSON text, or the code of its error. */
export function elementsOf({ status, ends, json }: RowAnswers): string[] {
  return Array.from(status, (rowStatus, row) => {
    const element = Buffer.from(json.subarray(row === 0 ? 0 : ends[row - 1], ends[row])).toString();
    if (rowStatus === ROW_STATUS.answered) {
      expect(element.endsWith(',')).toBe(true);
      return element.slice(0, -1);
    }
    expect(element).toBe('');
    return rowStatus === ROW_STATUS.outsideCoverage ? 'outside_coverage' : 'no_nearby_data';
  });
}
