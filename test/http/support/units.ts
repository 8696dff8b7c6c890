import type { PolygonRings } from '../../prediction/support/outlines.js';
import { rectangle } from '../../prediction/support/outlines.js';

/** A feature of GeoJSON: a polygon of these rings. */
export function unit(id: string | number, ...rings: PolygonRings) {
  return {
    type: 'Feature',
    id,
    properties: { name: 'ignored' },
    geometry: { type: 'Polygon', coordinates: rings },
  };
}

export function collection(...features: unknown[]) {
  return { type: 'FeatureCollection', features };
}

/** 356 ha in the Willamette National Forest with 9 data points. */
export const FOREST_RING = rectangle(-122.05, 44.1, -122.03, 44.12);

/** A plan that is right: one unit, one species. */
export const PLAN_REQUEST = { units: collection(unit('forest', FOREST_RING)), species_codes: ['PSME'] };
