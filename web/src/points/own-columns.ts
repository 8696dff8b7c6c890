import { assumedColumns, modelColumns, withoutOurNames } from '../exports/plan-export.js';
import type { ModelOrigin } from '../state/catalogues.js';
import type { PointTable } from '../state/points.js';

/** Names of the columns that answers add to those of a file. */
const ANSWERED =
  /^(matched_l(at|ong)itude|match_distance_km|region|(survival|low|high)_[135]|(factor|contribution)_[135]_[123]|error_(code|message))$/;
/** Names of the columns that files saved by this page add. */
const SAVED = Object.keys({ ...assumedColumns('', 1, {}), ...modelColumns({} as ModelOrigin) });

/** Puts `file_` before the names that answers and saved files add, so that a saved file can be scored again. */
export function withoutAnsweredNames({ columns, rows }: PointTable): PointTable {
  const names = withoutOurNames(columns, (column) => ANSWERED.test(column) || SAVED.includes(column));
  return {
    columns: [...names.values()],
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [names.get(column) ?? column, value])),
    ),
  };
}
