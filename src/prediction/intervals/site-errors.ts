import type { Manifest } from '../artefacts/manifest.js';
import { lapseColumnOf } from '../artefacts/option-columns.js';
import { type SharedGrid, type StoredColumn, valueAt } from '../artefacts/shared-grid.js';
import { CONDITIONS, OWN_ELEVATION } from '../conditions/adjustments.js';
import { OPTION, type SiteRows } from '../site-rows.js';

interface FeatureError {
  readonly atPoint: number;
  readonly column: StoredColumn | undefined;
  readonly perKm: number;
  /** Whether it moves to the site's own elevation, so that the distance to the point no longer matters. */
  readonly isMoved: boolean;
}

/** How far the features of sites may be from the truth. */
export class SiteErrors {
  readonly #features: readonly FeatureError[];

  constructor({ columns }: SharedGrid, { features }: Pick<Manifest, 'features'>) {
    this.#features = features.map(({ name, error }) => ({
      atPoint: error.at_point,
      column: error.column === undefined ? undefined : columns[error.column],
      perKm: error.per_km,
      isMoved: name === 'elevation' || lapseColumnOf(name) in columns,
    }));
  }

  /**
   * Writes the standard errors of a row's features, in their units, to `target`, starting at `to`: that at the point and
   * that of the distance to it, as independent errors; 0 for what the caller measured.
   */
  write(
    { options, adjustments, width }: SiteRows,
    row: number,
    point: number,
    distanceKm: number,
    target: Float32Array,
    to: number,
  ): void {
    const isAdjusted = (options[row] & OPTION.adjusted) !== 0;
    const from = row * width;
    const hasOwnElevation = isAdjusted && !Number.isNaN(adjustments[from + OWN_ELEVATION]);
    for (let f = 0; f < this.#features.length; f++) {
      const { atPoint, column, perKm, isMoved } = this.#features[f];
      const here = column === undefined ? atPoint : valueAt(column, point);
      const away = hasOwnElevation && isMoved ? 0 : perKm * distanceKm;
      const isMeasured = isAdjusted && !Number.isNaN(adjustments[from + CONDITIONS + f]);
      target[to + f] = isMeasured ? 0 : Math.sqrt(here * here + away * away);
    }
  }
}
