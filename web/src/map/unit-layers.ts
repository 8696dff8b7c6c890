import { effect } from '@preact/signals';
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import { panel } from '../state/choices.js';
import { chosenUnit, units } from '../state/units.js';

const SOURCE = 'units';

/** Shows the units on a map from now on. @returns ends that */
export function showUnits(map: MapLibreMap): () => void {
  const update = () => {
    const features = units.value.map(({ id, name, geometry }) => ({
      type: 'Feature' as const,
      properties: { id, name, isChosen: id === chosenUnit.value },
      geometry,
    }));
    map.getSource<GeoJSONSource>(SOURCE)?.setData({ type: 'FeatureCollection', features });
  };
  map.on('load', () => {
    map.addSource(SOURCE, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({
      id: 'unit-fill',
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
    map.on('click', 'unit-fill', ({ features }) => {
      const id: unknown = features?.[0]?.properties.id;
      if (typeof id === 'string' && panel.peek() === 'units') chosenUnit.value = id;
    });
    update();
  });
  return effect(update);
}
