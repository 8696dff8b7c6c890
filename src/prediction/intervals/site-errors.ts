import { isPractice, type Manifest } from '../artefacts/manifest.js';
import { lapseColumnOf } from '../artefacts/option-columns.js';
import { type SharedGrid, type StoredColumn, valueAt } from '../artefacts/shared-grid.js';
import { CONDITIONS, OWN_ELEVATION } from '../conditions/adjustments.js';
import type { SiteFeatures } from '../conditions/site-features.js';
import { OPTION, type SiteRows } from '../site-rows.js';

interface FeatureError {
  readonly atPoint: number;
  readonly column: StoredColumn | undefined;
  readonly perKm: number;
  readonly perElevationKm: number;
  /** Whether these are shares of the value. */
  readonly isRelative: boolean;
  /** Whether it moves to the site's own elevation, so that the distance to the point no longer matters. */
  readonly isMoved: boolean;
}

/** What is done at a site is known. */
const EXACT: FeatureError = {
  atPoint: 0,
  column: undefined,
  perKm: 0,
  perElevationKm: 0,
  isRelative: false,
  isMoved: false,
};

/** How far the features of sites may be from the truth. */
export class SiteErrors {
  readonly #features: readonly FeatureError[];

  constructor(
    { columns }: SharedGrid,
    { features }: Pick<Manifest, 'features'>,
    private readonly sites: SiteFeatures,
  ) {
    this.#features = features.map((feature) => {
      if (isPractice(feature)) return EXACT;
      const { name, error } = feature;
      return {
        atPoint: error.at_point,
        column: error.column === undefined ? undefined : columns[error.column],
        perKm: error.per_km,
        perElevationKm: error.per_elevation_km ?? 0,
        isRelative: error.relative === true,
        isMoved: name === 'elevation' || lapseColumnOf(name) in columns,
      };
    });
  }

  /**
   * Writes the standard errors of a row's features, in their units, to `target`, starting at `to`: that at the point,
   * that of the distance to it and that of the difference in elevation, as independent errors; 0 for what the caller measured. A scenario changes none: shares are
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
    const hasOwnElevation = !Number.isNaN(elevationM);
    const riseKm = hasOwnElevation ? (elevationM - this.sites.elevationAt(point)) / 1000 : 0;
    for (let f = 0; f < this.#features.length; f++) {
      const { atPoint, column, perKm, perElevationKm, isRelative, isMoved } = this.#features[f];
      const isMeasured = isAdjusted && !Number.isNaN(adjustments[from + CONDITIONS + f]);
      const unit = isRelative ? Math.abs(this.sites.valueAt(point, f, elevationM)) : 1;
      const here = column === undefined ? atPoint * unit : valueAt(column, point);
      const away = isMoved && hasOwnElevation ? 0 : perKm * unit * distanceKm;
      const above = perElevationKm * unit * riseKm;
      target[to + f] = isMeasured ? 0 : Math.sqrt(here * here + away * away + above * above);
    }
  }
}
