import { signal } from '@preact/signals';
import type { Horizon } from '../api/types.js';

export type Row = Readonly<Record<string, string>>;

/** The answered rows of a file of points. */
export interface ScoredPoints {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Of the columns survival_…, low_… and high_…. */
  readonly horizon: Horizon;
}

/** What was answered so far; null without a run. */
export const scoredPoints = signal<ScoredPoints | null>(null);
/** The index of the row that is shown in full. */
export const chosenRow = signal<number | null>(null);

/** The survival of a row; null in one with an error. */
export function survivalOf(row: Row, horizon: Horizon): number | null {
  const text = row[`survival_${horizon}`];
  return text ? Number(text) : null;
}

/** Longitude and latitude of a row; null where they are no degrees. */
export function positionOf({ longitude, latitude }: Row): [number, number] | null {
  const position: [number, number] = [Number(longitude || Number.NaN), Number(latitude || Number.NaN)];
  return Math.abs(position[0]) <= 180 && Math.abs(position[1]) <= 90 ? position : null;
}
