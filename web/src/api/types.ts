import type { components } from '@nurselog/client/openapi';

export type {
  ComparisonResult as Comparison,
  Coverage,
  PlanResult as Plan,
  RankingResult as Ranking,
  ServedModel,
  SpeciesList,
  Surface,
  Usage,
} from '@nurselog/client/types';

type Schemas = components['schemas'];
export type Health = Schemas['Health'];
export type Prediction = Schemas['Prediction'];
export type Species = Schemas['Species'];
export type PlanOption = Schemas['PlanOption'];
export type PlannedUnit = Schemas['PlannedUnit'];
export type FailedUnit = Schemas['FailedUnit'];

export type Method = PlanOption['planting_method'];
export type Horizon = Schemas['PlanResult']['horizon_years'];
export const METHODS: readonly Method[] = ['manual', 'drone_seeded'];
export const HORIZONS: readonly Horizon[] = [1, 3, 5];
