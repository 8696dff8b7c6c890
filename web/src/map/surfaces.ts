import { callJson } from '../api/service.js';
import type { Surface } from '../api/types.js';
import { catalogues } from '../state/catalogues.js';
import { type Assumptions, addAssumptions } from '../state/choices.js';

/** West, south, east, north, in degrees. */
export type Bounds = readonly [number, number, number, number];

interface SurfaceQuestion {
  readonly species: string;
  /** null for everywhere. */
  readonly bounds: Bounds | null;
  readonly maxPoints: number;
  readonly assumed: Assumptions;
}

/** Enough surfaces to return to earlier views without requests. */
const MAX_CACHED = 80;
const cache = new Map<string, Surface>();

/** Loads the surface of a species, from the cache if it is there. @throws NurselogError */
export async function loadSurface(question: SurfaceQuestion, signal: AbortSignal): Promise<Surface> {
  const { species, bounds, maxPoints, assumed } = question;
  const query = new URLSearchParams({ max_points: String(maxPoints) });
  if (bounds !== null) query.set('bbox', bounds.join(','));
  addAssumptions(query, assumed);
  const path = `/v1/surfaces/${encodeURIComponent(species)}?${query}`;
  const cacheKey = `${catalogues.peek()?.model.digest} ${path}`;
  const cached = cache.get(cacheKey);
  if (cached !== undefined) return cached;
  const surface = await callJson<Surface>(path, { signal });
  cache.set(cacheKey, surface);
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED) break;
    cache.delete(oldest);
  }
  return surface;
}
