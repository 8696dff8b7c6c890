import type { Artefacts } from '../../../prediction/artefacts/artefacts.js';
import {
  adjustmentWidth,
  PRECIPITATION_CHANGE,
  WARMING,
} from '../../../prediction/conditions/adjustments.js';
import { ALL_HORIZONS, BOTH_METHODS, HORIZONS, PLANTING_METHODS } from '../../../prediction/dimensions.js';
import type { RowRecords } from '../../../prediction/row-record.js';
import { OPTION, SiteRows } from '../../../prediction/site-rows.js';
import type { Scenario } from './surface-query.js';

/** Rows of consecutive points of a surface. */
export interface SurfacePiece {
  /** The position of the first one. */
  readonly from: number;
  readonly rows: SiteRows;
}

/** The points of a surface as rows for both methods, in pieces. */
export function* surfaceRows(
  { grid, manifest }: Pick<Artefacts, 'grid' | 'manifest'>,
  species: number,
  points: Int32Array,
  { warming_c, precipitation_change_percent }: Scenario,
  pieceRows: number,
): Generator<SurfacePiece> {
  const isChanged = warming_c !== undefined || precipitation_change_percent !== undefined;
  const { latitudes, longitudes, row: rowOf, column: columnOf } = grid.index;
  const width = isChanged ? adjustmentWidth(manifest) : 0;
  const adjustments = new Float64Array(width).fill(Number.NaN);
  if (warming_c !== undefined) adjustments[WARMING] = warming_c;
  if (precipitation_change_percent !== undefined)
    adjustments[PRECIPITATION_CHANGE] = precipitation_change_percent;
  for (let from = 0; from < points.length; from += pieceRows) {
    const rows = new SiteRows(Math.min(pieceRows, points.length - from), width);
    for (let row = 0; row < rows.count; row++) {
      const point = points[from + row];
      rows.latitude[row] = latitudes[rowOf[point]];
      rows.longitude[row] = longitudes[columnOf[point]];
      rows.adjustments.set(adjustments, row * width);
    }
    rows.species.fill(species);
    rows.method.fill(BOTH_METHODS);
    rows.horizons.fill(ALL_HORIZONS);
    rows.options.fill(isChanged ? OPTION.adjusted : 0);
    yield { from, rows };
  }
}

/** Copies the survival of a piece to that of its surface, Uint16 [methods, horizons, pointCount]. */
export function copySurvival(
  { from }: SurfacePiece,
  records: RowRecords,
  survival: Uint16Array,
  pointCount: number,
): void {
  for (let method = 0; method < PLANTING_METHODS.length; method++) {
    for (let h = 0; h < HORIZONS.length; h++) {
      const to = (method * HORIZONS.length + h) * pointCount + from;
      for (let row = 0; row < records.count; row++) survival[to + row] = records.survival(row, method, h);
    }
  }
}
