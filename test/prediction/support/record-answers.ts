import { HORIZONS, PLANTING_METHODS, RISK_FACTOR_COUNT } from '../../../src/prediction/dimensions.js';
import type { PredictorData } from '../../../src/prediction/predictor.js';
import type { RowRecords } from '../../../src/prediction/row-record.js';
import type { SiteRequest } from './site-requests.js';

/** The parts of a JSON answer that a record has, too. */
export interface PlainNumbers {
  readonly site: {
    readonly matched_latitude: number;
    readonly matched_longitude: number;
    readonly match_distance_km: number;
    readonly region: string;
  };
  /** By method that was asked for. */
  readonly methods: readonly {
    readonly planting_method: string;
    readonly predictions: readonly object[];
  }[];
}

const reported = (integer: number) => integer / 10_000;

/** What a record reports, in the words of a JSON answer. */
export function numbersOfRecord(
  { grid, manifest }: PredictorData,
  records: RowRecords,
  row: number,
  { method: asked, horizons, options }: SiteRequest,
): PlainNumbers {
  const point = records.point(row);
  const { latitudes, longitudes, row: rowOf, column } = grid.index;
  const degrees = (value: number) => Math.round(value * 1e5) / 1e5;
  const hasIntervals = options?.include?.includes('intervals');
  const methods = [...PLANTING_METHODS.entries()].filter(([, name]) => asked === undefined || name === asked);
  return {
    site: {
      matched_latitude: degrees(latitudes[rowOf[point]]),
      matched_longitude: degrees(longitudes[column[point]]),
      match_distance_km: records.distanceM(row) / 1000,
      region: grid.regions[grid.region[point]],
    },
    methods: methods.map(([method, planting_method]) => ({
      planting_method,
      predictions: [...HORIZONS.entries()]
        .filter(([, years]) => horizons.includes(years))
        .map(([h, horizon_years]) => ({
          horizon_years,
          survival_probability: reported(records.survival(row, method, h)),
          risk_factors: Array.from({ length: RISK_FACTOR_COUNT }, (_, rank) => {
            const contribution = records.contribution(row, method, h, rank);
            return {
              factor: manifest.features[records.riskFactor(row, method, h, rank)].label,
              // The sign of a contribution that is rounded to 0 is not in its number.
              ...(contribution !== 0 && { impact: contribution < 0 ? 'negative' : 'positive' }),
              magnitude: reported(Math.abs(contribution)),
            };
          }),
          ...(hasIntervals && {
            interval: {
              level: manifest.interval_level,
              low: reported(records.low(row, method, h)),
              high: reported(records.high(row, method, h)),
            },
          }),
        })),
    })),
  };
}

interface Answer {
  readonly site: PlainNumbers['site'];
  readonly planting_method?: string;
  readonly predictions?: readonly object[];
  readonly comparison?: Readonly<Record<string, { readonly predictions: readonly object[] }>>;
}

interface Prediction {
  readonly horizon_years: number;
  readonly survival_probability: number;
  readonly risk_factors: readonly { factor: string; impact: string; magnitude: number }[];
  readonly interval?: object;
}

/** The same of an answer. */
export function numbersOfAnswer(answer: object): PlainNumbers {
  const { site, planting_method, predictions, comparison } = answer as Answer;
  const { matched_latitude, matched_longitude, match_distance_km, region } = site;
  const methods =
    comparison === undefined
      ? [[planting_method!, { predictions: predictions! }] as const]
      : Object.entries(comparison);
  return {
    site: { matched_latitude, matched_longitude, match_distance_km, region },
    methods: methods.map(([planting_method, { predictions }]) => ({
      planting_method,
      predictions: (predictions as Prediction[]).map(
        ({ horizon_years, survival_probability, risk_factors, interval }) => ({
          horizon_years,
          survival_probability,
          risk_factors: risk_factors.map(({ factor, impact, magnitude }) => ({
            factor,
            ...(magnitude !== 0 && { impact }),
            magnitude,
          })),
          ...(interval && { interval }),
        }),
      ),
    })),
  };
}
