import Papa from 'papaparse';
import { batchSize } from '../api/batch-size.js';
import { call } from '../api/service.js';
import { hasIntervals } from '../state/catalogues.js';
import { addAssumptions } from '../state/choices.js';
import { checkHealth, servedDigest } from '../state/connection.js';
import type { PointsQuestion, PointTable, Row } from '../state/points.js';

/**
 * Scores points through the table endpoint, in parts. Ends with an error when the models of the question no longer serve.
 * @param from the first row
 * @param onRows called with the answered rows of each part
 * @throws Error, or the reason of the signal
 */
export async function scorePoints(
  table: PointTable,
  question: PointsQuestion,
  from: number,
  onRows: (columns: readonly string[], rows: readonly Record<string, string>[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { species, method, horizon, assumed, model } = question;
  const query = new URLSearchParams({ horizons: String(horizon) });
  if (hasIntervals()) query.set('include', 'intervals');
  addAssumptions(query, assumed);
  const columns = [...new Set([...table.columns, 'species_code', 'planting_method'])];
  const size = batchSize();
  await checkModels(model, signal);
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
    await checkModels(model, signal);
    onRows(answer.meta.fields ?? [], answer.data);
  }
}

/** Checks that the models still serve, since answers in CSV do not name theirs. @throws Error */
async function checkModels(model: PointsQuestion['model'], signal: AbortSignal): Promise<void> {
  await checkHealth(signal);
  signal.throwIfAborted();
  if (model !== undefined && servedDigest.peek() !== model.digest)
    throw new Error('The models have changed: score the points again.');
}
