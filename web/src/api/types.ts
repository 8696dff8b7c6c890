import type { components } from '@nurselog/client/openapi';

export type {
  ComparisonResult as Comparison,
  Coverage,
  RankingResult as Ranking,
  ServedModel,
  SpeciesList,
  Surface,
  Usage,
} from '@nurselog/client/types';

export type Prediction = components['schemas']['Prediction'];
export type Species = components['schemas']['Species'];

export type Method = 'manual' | 'drone_seeded';
export type Horizon = 1 | 3 | 5;
export const METHODS: readonly Method[] = ['manual', 'drone_seeded'];
export const HORIZONS: readonly Horizon[] = [1, 3, 5];

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
