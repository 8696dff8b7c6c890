import type { Manifest } from './artefacts/manifest.js';

/** What a row may have beyond place, species, method and horizons, as bits. */
export const OPTION = {
  /** The request states something of the site, in `adjustments`. */
  adjusted: 1,
  /** The words of `include`. */
  intervals: 2,
  explanation: 4,
  site: 8,
} as const;

// The columns of `adjustments`: what a request states of a site in place of the grid's values, NaN for nothing.
/** The site's own elevation, m. */
export const OWN_ELEVATION = 0;
/** The warming of a scenario, degrees Celsius. */
export const WARMING = 1;
/** The change of precipitation of a scenario, percent. */
export const PRECIPITATION_CHANGE = 2;
/** The first of the measured conditions: a value for each feature, in its unit. */
export const CONDITIONS = 3;

/** How many adjustments a row has. */
export function adjustmentWidth({ features }: Pick<Manifest, 'features'>): number {
  return CONDITIONS + features.length;
}

const COLUMNS = [
  'latitude',
  'longitude',
  'generatedAtMs',
  'species',
  'method',
  'horizons',
  'options',
] as const;

/**
 * Sites to predict for, as columns in one buffer. Layout, n = row count: latitude, longitude, generatedAtMs float64[n],
 * adjustments float64[n, width], species, method, horizons, options uint8[n].
 */
export class SiteRows {
  /** Degrees north. */
  readonly latitude: Float64Array;
  /** Degrees east. */
  readonly longitude: Float64Array;
  /** The `generated_at` of the row's answer, Unix time in ms. */
  readonly generatedAtMs: Float64Array;
  /** Index into the species list. */
  readonly species: Uint8Array;
  /** Index into PLANTING_METHODS, or BOTH_METHODS for a comparison. */
  readonly method: Uint8Array;
  /** Set of horizons as bits: bit i stands for HORIZONS[i]. */
  readonly horizons: Uint8Array;
  /** Set of OPTION as bits; 0 for most rows. */
  readonly options: Uint8Array;
  /** What requests state of their sites, `width` numbers a row; undefined in a row that is not adjusted. */
  readonly adjustments: Float64Array;

  /** @param width of `adjustments`; 0 where no row is adjusted */
  constructor(
    readonly count: number,
    readonly width = 0,
    buffer: ArrayBufferLike = new ArrayBuffer(siteRowsBytes(count, width)),
  ) {
    this.latitude = new Float64Array(buffer, 0, count);
    this.longitude = new Float64Array(buffer, 8 * count, count);
    this.generatedAtMs = new Float64Array(buffer, 16 * count, count);
    this.adjustments = new Float64Array(buffer, 24 * count, width * count);
    const bytesAt = (24 + 8 * width) * count;
    this.species = new Uint8Array(buffer, bytesAt, count);
    this.method = new Uint8Array(buffer, bytesAt + count, count);
    this.horizons = new Uint8Array(buffer, bytesAt + 2 * count, count);
    this.options = new Uint8Array(buffer, bytesAt + 3 * count, count);
  }

  /** A copy of the first `count` rows: of width 0, without adjustments, if none of them is adjusted. */
  first(count: number): SiteRows {
    const isAdjusted = this.options.subarray(0, count).some((options) => (options & OPTION.adjusted) !== 0);
    const rows = new SiteRows(count, isAdjusted ? this.width : 0);
    rows.copyRows(0, this, 0, count);
    return rows;
  }

  /** Copies `count` rows, starting at row `from` of `source`, to row `at` of this one. */
  copyRows(at: number, source: SiteRows, from: number, count: number): void {
    for (const column of COLUMNS) this[column].set(source[column].subarray(from, from + count), at);
    if (this.width === 0 || source.width === 0) return;
    const { width } = this;
    this.adjustments.set(source.adjustments.subarray(from * width, (from + count) * width), at * width);
  }
}

export function siteRowsBytes(count: number, width: number): number {
  return (28 + 8 * width) * count;
}

/** The outcome of a row. */
export const ROW_STATUS = { answered: 0, outsideCoverage: 1, noNearbyData: 2, elevationMismatch: 3 } as const;

export interface RowAnswers {
  /** ROW_STATUS of each row. */
  readonly status: Uint8Array;
  /** The end of each row's element in `json`; it starts at the end of the row before. A failed row has none. */
  readonly ends: Uint32Array;
  /** The elements: UTF-8 JSON followed by a comma; the bytes after the last one are undefined. */
  readonly json: Uint8Array;
}
