import { assumedColumns, modelColumns } from '../exports/plan-export.js';
import { csvText } from '../files/download.js';
import type { ScoredPoints } from '../state/points.js';

/** The answered rows as CSV, with date, year, climate, practice and models in the columns of a plan's exports. */
export function pointsCsv({ columns, rows, question }: ScoredPoints): string {
  const { date = '', horizon, assumed, model } = question;
  const about = { ...assumedColumns(date, horizon, assumed), ...(model && modelColumns(model)) };
  // A row may state its own practice.
  const isOwn = (name: string, value: string) => value !== '' || !Object.hasOwn(about, name);
  return csvText(
    [...new Set([...columns, ...Object.keys(about)])],
    rows.map((row) => ({
      ...about,
      ...Object.fromEntries(Object.entries(row).filter(([name, value]) => isOwn(name, value))),
    })),
  );
}
