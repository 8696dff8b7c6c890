import { effect, signal } from '@preact/signals';
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import type { Unit } from '../state/units.js';

/** The parts that a unit may be divided into, while they are proposed. */
export const proposedParts = signal<readonly Pick<Unit, 'geometry'>[]>([]);

const SOURCE = 'proposal';

/** Shows proposed parts on a map with a dashed line, and updates them. @returns a stop function */
export function showProposal(map: MapLibreMap): () => void {
  const update = () => {
    const features = proposedParts.value.map(({ geometry }) => ({
      type: 'Feature' as const,
      properties: {},
      geometry,
    }));
    map.getSource<GeoJSONSource>(SOURCE)?.setData({ type: 'FeatureCollection', features });
  };
  map.on('style.load', () => {
    map.addSource(SOURCE, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    for (const [id, paint] of Object.entries({
      'proposal-casing': { 'line-color': '#ffffff', 'line-width': 4 },
      'proposal-line': { 'line-color': '#c2410c', 'line-width': 2, 'line-dasharray': [2, 2] },
    }))
      map.addLayer({ id, type: 'line', source: SOURCE, layout: { 'line-join': 'round' }, paint });
    update();
  });
  return effect(update);
}
