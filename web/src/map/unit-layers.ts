import { effect, signal } from '@preact/signals';
import type { GeoJSONSource, Map as MapLibreMap, PointLike } from 'maplibre-gl';
import { chosenUnit, type Unit, units } from '../state/units.js';

/** The shape of a unit while one of its corners is dragged; null otherwise. */
export const draft = signal<Pick<Unit, 'id' | 'geometry'> | null>(null);

const SOURCE = 'units';
const FILL = 'unit-fill';

/** Shows the units on a map from now on. @returns ends that */
export function showUnits(map: MapLibreMap): () => void {
  const update = () => {
    const features = units.value.map(({ id, name, geometry }) => ({
      type: 'Feature' as const,
      properties: { id, name, isChosen: id === chosenUnit.value },
      geometry: draft.value?.id === id ? draft.value.geometry : geometry,
    }));
    map.getSource<GeoJSONSource>(SOURCE)?.setData({ type: 'FeatureCollection', features });
  };
  map.on('style.load', () => {
    map.addSource(SOURCE, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({
      id: FILL,
      type: 'fill',
      source: SOURCE,
      paint: { 'fill-color': '#c2410c', 'fill-opacity': ['case', ['get', 'isChosen'], 0.35, 0.08] },
    });
    map.addLayer({
      id: 'unit-line',
      type: 'line',
      source: SOURCE,
      paint: { 'line-color': '#c2410c', 'line-width': ['case', ['get', 'isChosen'], 3.5, 2] },
    });
    update();
  });
  return effect(update);
}

/** The id of the unit at a point of a map; undefined where there is none. */
export function unitAt(map: MapLibreMap, point: PointLike): string | undefined {
  if (map.getLayer(FILL) === undefined) return undefined;
  return map.queryRenderedFeatures(point, { layers: [FILL] })[0]?.properties.id as string | undefined;
}
