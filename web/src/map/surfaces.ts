import { callJson } from '../api/service.js';
import type { Surface } from '../api/types.js';
import { catalogues } from '../state/catalogues.js';
import { type Assumptions, addTo } from '../state/choices.js';

/** West, south, east, north, in degrees. */
export type Bounds = readonly [number, number, number, number];

export interface SurfaceQuestion {
  readonly species: string;
  /** null for everywhere. */
  readonly bounds: Bounds | null;
  readonly maxPoints: number;
  readonly assumed: Assumptions;
}

/** Surfaces that are kept: enough to go back to what was looked at before. */
const KEPT = 80;
const kept = new Map<string, Surface>();

/** Asks for the surface of a species, or takes one that was asked for before. @throws NurselogError */
export async function loadSurface(question: SurfaceQuestion, signal: AbortSignal): Promise<Surface> {
  const { species, bounds, maxPoints, assumed } = question;
  const query = new URLSearchParams({ max_points: String(maxPoints) });
  if (bounds !== null) query.set('bbox', bounds.join(','));
  addTo(query, assumed);
  const path = `/v1/surfaces/${species}?${query}`;
  const keptAs = `${catalogues.peek()?.model.digest} ${path}`;
  const known = kept.get(keptAs);
  if (known !== undefined) return known;
  const surface = await callJson<Surface>(path, { signal });
  kept.set(keptAs, surface);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return surface;
}
