import { effect, signal } from '@preact/signals';
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import { boxOf, chosenUnit, type Unit, units, unsureUnits } from '../state/units.js';

/** The shape of a unit while one of its corners is dragged; null otherwise. */
export const draft = signal<Pick<Unit, 'id' | 'geometry'> | null>(null);

const SOURCE = 'units';
/** Names are labels of points: a polygon would get one in each tile of the map. */
const NAMES = 'unit-names';
/** A dark line in a light casing is visible over every colour of the cells, in both themes. */
const DARK = '#1a1a1a';
const LIGHT = '#ffffff';
/** Names of units are shown from this zoom on. */
const NAMES_ZOOM = 10;

/** Shows the units on a map, and updates them. @returns a stop function */
export function showUnits(map: MapLibreMap): () => void {
  const update = () => {
    const features = units.value.map(({ id, name, geometry }) => ({
      type: 'Feature' as const,
      properties: { id, name, isChosen: id === chosenUnit.value, isUnsure: unsureUnits.value.has(id) },
      geometry: draft.value?.id === id ? draft.value.geometry : geometry,
    }));
    map.getSource<GeoJSONSource>(SOURCE)?.setData({ type: 'FeatureCollection', features });
    const names = units.value.flatMap((unit) => {
      const box = boxOf([unit]);
      if (box === null) return [];
      const coordinates = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
      const geometry = { type: 'Point' as const, coordinates };
      return [{ type: 'Feature' as const, properties: { name: unit.name }, geometry }];
    });
    map.getSource<GeoJSONSource>(NAMES)?.setData({ type: 'FeatureCollection', features: names });
  };
  map.on('style.load', () => {
    for (const source of [SOURCE, NAMES])
      map.addSource(source, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({
      id: 'unit-casing',
      type: 'line',
      source: SOURCE,
      layout: { 'line-join': 'round' },
      paint: { 'line-color': LIGHT, 'line-width': ['case', ['get', 'isChosen'], 8, 5] },
    });
    for (const isUnsure of [false, true])
      map.addLayer({
        id: isUnsure ? 'unit-line-unsure' : 'unit-line',
        type: 'line',
        source: SOURCE,
        filter: ['==', ['get', 'isUnsure'], isUnsure],
        layout: { 'line-join': 'round' },
        paint: {
          'line-color': DARK,
          'line-width': ['case', ['get', 'isChosen'], 4, 2],
          ...(isUnsure && { 'line-dasharray': [3, 2] }),
        },
      });
    map.addLayer({
      id: 'unit-name',
      type: 'symbol',
      source: NAMES,
      minzoom: NAMES_ZOOM,
      layout: {
        'text-field': ['get', 'name'],
        'text-font': ['sans-serif'],
        'text-size': 13,
      },
      paint: { 'text-color': DARK, 'text-halo-color': LIGHT, 'text-halo-width': 2 },
    });
    update();
  });
  return effect(update);
}
