import type { PointTable } from '../state/points.js';

/** Names of the columns that answers and saved files add to those of the file. */
const ADDED =
  /^(matched_l(at|ong)itude|match_distance_km|region|(survival|low|high)_[135]|(factor|contribution)_[135]_[123]|error_(code|message)|date|horizon_years|warming_c|precipitation_change_percent|model_(version|digest)|outcomes|caution)$/;

/** The table with `file_` before the names that are added, as exports of plans have it: a saved answer can be scored. */
export function withOwnNames({ columns, rows }: PointTable): PointTable {
  const names = new Map<string, string>();
  for (const column of columns) {
    let name = ADDED.test(column) ? `file_${column}` : column;
    while (name !== column && columns.includes(name)) name = `file_${name}`;
    names.set(column, name);
  }
  return {
    columns: [...names.values()],
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [names.get(column) ?? column, value])),
    ),
  };
}
