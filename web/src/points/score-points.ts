import Papa from 'papaparse';
import { batchSize } from '../api/batch-size.js';
import { call } from '../api/service.js';
import { hasIntervals } from '../state/catalogues.js';
import { addAssumptions } from '../state/choices.js';
import type { PointsQuestion, PointTable, Row } from '../state/points.js';

/**
 * Scores points through the table endpoint, in parts.
 * @param from the first row
 * @param onRows called with the answered rows of each part
 * @throws NurselogError, or the reason of the signal
 */
export async function scorePoints(
  table: PointTable,
  question: PointsQuestion,
  from: number,
  onRows: (columns: readonly string[], rows: readonly Record<string, string>[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { species, method, horizon, assumed } = question;
  const query = new URLSearchParams({ horizons: String(horizon) });
  if (hasIntervals()) query.set('include', 'intervals');
  addAssumptions(query, assumed);
  const columns = [...new Set([...table.columns, 'species_code', 'planting_method'])];
  const size = batchSize();
  for (let start = from; start < table.rows.length; start += size) {
    const rows: Row[] = table.rows.slice(start, start + size).map((row) => ({
      ...row,
      species_code: row.species_code || (species ?? ''),
      planting_method: row.planting_method || (method ?? ''),
    }));
    const response = await call(`/v1/predict/table?${query}`, {
      body: Papa.unparse({
        fields: columns,
        // A column may be named like a property that every object has, such as `constructor`.
        data: rows.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? row[name] : ''))),
      }),
      headers: { 'Content-Type': 'text/csv', Accept: 'text/csv' },
      signal,
    });
    const answer = Papa.parse<Record<string, string>>(await response.text(), {
      header: true,
      skipEmptyLines: true,
    });
    onRows(answer.meta.fields ?? [], answer.data);
  }
}
