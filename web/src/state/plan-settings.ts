import { signal } from '@preact/signals';
import type { Method } from '../api/types.js';

export const SORT_KEYS = ['unit', 'rank', 'species', 'survival', 'cost'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** How the options of a unit are ranked: by cost per survivor, by survival, or by the low end of its interval. */
export const RANKINGS = ['cost', 'survival', 'safest'] as const;
export type RankBy = (typeof RANKINGS)[number];

/** Limits of the numbers in a plan: dollars, living trees per hectare, and percent. */
export const MAX_COST = 1e9;
export const MAX_TARGET_PER_HA = 100_000;
export const MAX_RESERVE_PERCENT = 1000;

/** The settings of a plan, except units, year, climate and practice, and of its table. */
export interface PlanSettings {
  /** In dollars, of a planted tree and of a sown spot; null where none is typed in. */
  readonly costs: Readonly<Record<Method, number | null>>;
  /** All species, the one chosen for the map, or a set of codes. */
  readonly species: 'all' | 'chosen' | readonly string[];
  readonly nativeOnly: boolean;
  readonly rankBy: RankBy;
  /** Living trees per hectare wanted at the chosen year; null for no order. */
  readonly targetPerHa: number | null;
  /** The column of the units' file that has the target of each instead; null for none. */
  readonly targetColumn: string | null;
  /** The unit of area of the targets in that column; null, as in old projects, for the one that areas are shown in. */
  readonly targetUnit: 'acre' | 'hectare' | null;
  /** Whether orders divide the target by the survival or by its low end. */
  readonly basis: 'mean' | 'low';
  /** Percent that is ordered beyond the need. */
  readonly reservePercent: number;
  /** Survival from 0 to 1 below which the low end of an option is unsure, and a data point of a unit is counted. */
  readonly threshold: number;
  /** Whether survival in another climate is compared with that in today's. */
  readonly comparesToday: boolean;
  /** Whether the table shows only the best option of each unit. */
  readonly onlyBest: boolean;
  /** The text that rows of the table contain. */
  readonly filter: string;
  readonly sort: { readonly by: SortKey; readonly isReversed: boolean };
}

export const DEFAULT_SETTINGS: PlanSettings = {
  costs: { manual: null, drone_seeded: null },
  species: 'all',
  nativeOnly: true,
  rankBy: 'cost',
  targetPerHa: null,
  targetColumn: null,
  targetUnit: null,
  basis: 'mean',
  reservePercent: 10,
  threshold: 0.5,
  comparesToday: false,
  onlyBest: true,
  filter: '',
  sort: { by: 'unit', isReversed: false },
};

/** The costs of both methods; undefined if one is missing, since costs per survivor need both. */
export const bothCosts = ({ costs: { manual, drone_seeded } }: PlanSettings) =>
  manual === null || drone_seeded === null ? undefined : { manual, drone_seeded };

export const settings = signal<PlanSettings>(DEFAULT_SETTINGS);

export function changeSettings(changes: Partial<PlanSettings>): void {
  settings.value = { ...settings.peek(), ...changes };
}
