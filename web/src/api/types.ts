import type { components } from '@nurselog/client/openapi';

export type {
  ComparisonResult as Comparison,
  Coverage,
  ServedModel,
  SpeciesList,
  Usage,
} from '@nurselog/client/types';

export type Prediction = components['schemas']['Prediction'];
export type Species = components['schemas']['Species'];

export type Method = 'manual' | 'drone_seeded';
export type Horizon = 1 | 3 | 5;
export const METHODS: readonly Method[] = ['manual', 'drone_seeded'];
export const HORIZONS: readonly Horizon[] = [1, 3, 5];

/** The answer of GET /v1/surfaces/{species_code}: columns with an element for each point. */
export interface Surface {
  species_code: string;
  species_common_name: string;
  points: number;
  spacing_km: number;
  longitude: number[];
  latitude: number[];
  elevation_m: number[];
  region: string[];
  in_native_range: boolean[];
  survival: Record<Method, Record<`${Horizon}`, number[]>>;
}

/** The answer of POST /v1/predict/rank. */
export interface Ranking {
  horizon_years: Horizon;
  ranking: {
    rank: number;
    species_code: string;
    species_common_name: string;
    planting_method: Method;
    in_native_range: boolean;
    predictions: Prediction[];
  }[];
}

/** One way to plant a unit, in the answer of POST /v1/plan. */
export interface PlanOption {
  rank: number;
  species_code: string;
  species_common_name: string;
  planting_method: Method;
  in_native_range: boolean;
  survival: { mean: number; low: number; high: number };
  cost_per_survivor?: number | null;
}

export interface PlannedUnit {
  id: string | number;
  area_ha: number;
  data_points: number;
  nearest_km: number;
  options: PlanOption[];
}

export interface FailedUnit {
  id: string | number;
  error: { code: string; message: string };
}

/** The answer of POST /v1/plan. */
export interface Plan {
  units: (PlannedUnit | FailedUnit)[];
  horizon_years: Horizon;
}
