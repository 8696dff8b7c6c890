import { batch, signal } from '@preact/signals';
import type { Horizon, Method } from '../api/types.js';
import type { ModelOrigin } from './catalogues.js';
import type { Assumptions } from './choices.js';

export type Row = Readonly<Record<string, string>>;

/** Rows of a file of points: each a site to be scored. */
export interface PointTable {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** What points are scored for. */
export interface PointsQuestion {
  /** For rows that name none; null if each names its own. */
  readonly species: string | null;
  readonly method: Method | null;
  readonly horizon: Horizon;
  readonly assumed: Assumptions;
  /** The date, and the models that answer; undefined in work of older versions, which did not keep them. */
  readonly date?: string | undefined;
  readonly model?: ModelOrigin | undefined;
}

/** The answered rows of a file of points. */
export interface ScoredPoints {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** What was asked; its year is that of the columns survival_…, low_… and high_…. */
  readonly question: PointsQuestion;
}

/** The file of points; null without one. */
export const pointTable = signal<PointTable | null>(null);
/** What was answered so far; null without a run. */
export const scoredPoints = signal<ScoredPoints | null>(null);
/** The index of the row that is shown in full. */
export const chosenRow = signal<number | null>(null);

/** Takes another file of points, or none, and discards the answers to the one before. */
export function takePoints(table: PointTable | null): void {
  batch(() => {
    pointTable.value = table;
    clearScored();
  });
}

export function clearScored(): void {
  batch(() => {
    scoredPoints.value = null;
    chosenRow.value = null;
  });
}

/** The survival of a row; null in one with an error, and where an edited project has no number. */
export function survivalOf(row: Row, horizon: Horizon): number | null {
  const survival = Number(row[`survival_${horizon}`] || Number.NaN);
  return Number.isFinite(survival) ? survival : null;
}

/** Longitude and latitude of a row; null if they are not in degrees. */
export function positionOf({ longitude, latitude }: Row): [number, number] | null {
  const position: [number, number] = [Number(longitude || Number.NaN), Number(latitude || Number.NaN)];
  return Math.abs(position[0]) <= 180 && Math.abs(position[1]) <= 90 ? position : null;
}
