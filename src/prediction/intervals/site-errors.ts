import type { Manifest } from '../artefacts/manifest.js';
import { lapseColumnOf } from '../artefacts/option-columns.js';
import { type SharedGrid, type StoredColumn, valueAt } from '../artefacts/shared-grid.js';
import { CONDITIONS, OWN_ELEVATION } from '../conditions/adjustments.js';
import type { SiteFeatures } from '../conditions/site-features.js';
import { OPTION, type SiteRows } from '../site-rows.js';

interface FeatureError {
  readonly atPoint: number;
  readonly column: StoredColumn | undefined;
  readonly perKm: number;
  /** Whether `atPoint` and `perKm` are shares of the value. */
  readonly isRelative: boolean;
  /** Whether it moves to the site's own elevation, so that the distance to the point no longer matters. */
  readonly isMoved: boolean;
}

/** How far the features of sites may be from the truth. */
export class SiteErrors {
  readonly #features: readonly FeatureError[];

  constructor(
    { columns }: SharedGrid,
    { features }: Pick<Manifest, 'features'>,
    private readonly sites: SiteFeatures,
  ) {
    this.#features = features.map(({ name, error }) => ({
      atPoint: error.at_point,
      column: error.column === undefined ? undefined : columns[error.column],
      perKm: error.per_km,
      isRelative: error.relative === true,
      isMoved: name === 'elevation' || lapseColumnOf(name) in columns,
    }));
  }

  /**
   * Writes the standard errors of a row's features, in their units, to `target`, starting at `to`: that at the point and
   * that of the distance to it, as independent errors; 0 for what the caller measured. A scenario changes none: shares are
   * of the value before it.
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
    const elevationM = isAdjusted ? adjustments[from + OWN_ELEVATION] : Number.NaN;
    for (let f = 0; f < this.#features.length; f++) {
      const { atPoint, column, perKm, isRelative, isMoved } = this.#features[f];
      const isMeasured = isAdjusted && !Number.isNaN(adjustments[from + CONDITIONS + f]);
      const unit = isRelative ? Math.abs(this.sites.valueAt(point, f, elevationM)) : 1;
      const here = column === undefined ? atPoint * unit : valueAt(column, point);
      const away = isMoved && !Number.isNaN(elevationM) ? 0 : perKm * unit * distanceKm;
      target[to + f] = isMeasured ? 0 : Math.sqrt(here * here + away * away);
    }
  }
}
