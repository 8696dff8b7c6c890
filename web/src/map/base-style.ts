import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import baseMap from '../../base-map/base-map.json?url';

/** The colours of the base map by theme. */
const THEMES = {
  light: {
    water: '#cfdde4',
    land: '#eceae4',
    state: '#f8f7f3',
    river: '#7fa3b8',
    line: '#8b8f88',
    county: '#b9bbb3',
    text: '#2d332e',
    halo: '#ffffff',
  },
  dark: {
    water: '#10191d',
    land: '#1c211f',
    state: '#262c29',
    river: '#4a6b7d',
    line: '#8d958f',
    county: '#4b534e',
    text: '#e8ece8',
    halo: '#141a17',
  },
} as const;

export type Theme = keyof typeof THEMES;

/** Layers below this one are the ground, those from it on lie over the cells. */
export const FIRST_OVER_CELLS = 'lake';

const kind = (name: string) => ['==', ['get', 'kind'], name] as ['==', ['get', string], string];

function layersOf(theme: Theme): LayerSpecification[] {
  const { water, land, state, river, line, county, text, halo } = THEMES[theme];
  const source = 'base';
  return [
    { id: 'water', type: 'background', paint: { 'background-color': water } },
    { id: 'land', type: 'fill', source, filter: kind('land'), paint: { 'fill-color': land } },
    { id: 'state', type: 'fill', source, filter: kind('state'), paint: { 'fill-color': state } },
    { id: 'lake', type: 'fill', source, filter: kind('lake'), paint: { 'fill-color': water } },
    {
      id: 'river',
      type: 'line',
      source,
      filter: kind('river'),
      paint: {
        'line-color': river,
        'line-width': ['interpolate', ['linear'], ['zoom'], 5, 0.5, 10, 1.6],
        'line-opacity': 0.8,
      },
    },
    {
      id: 'county',
      type: 'line',
      source,
      filter: kind('county'),
      paint: { 'line-color': county, 'line-width': ['interpolate', ['linear'], ['zoom'], 5, 0.3, 10, 1] },
    },
    {
      id: 'border',
      type: 'line',
      source,
      filter: kind('border'),
      paint: { 'line-color': line, 'line-width': 1.1 },
    },
    {
      id: 'town-dot',
      type: 'circle',
      source,
      filter: kind('town'),
      paint: {
        'circle-radius': 2.5,
        'circle-color': text,
        'circle-stroke-color': halo,
        'circle-stroke-width': 1,
      },
    },
    {
      id: 'town',
      type: 'symbol',
      source,
      filter: kind('town'),
      layout: {
        'text-field': ['get', 'name'],
        'text-font': ['sans-serif'],
        'text-size': ['interpolate', ['linear'], ['get', 'rank'], 1, 14, 8, 11],
        'text-anchor': 'left',
        'text-offset': [0.6, 0],
        'symbol-sort-key': ['get', 'rank'],
      },
      paint: { 'text-color': text, 'text-halo-color': halo, 'text-halo-width': 1.4 },
    },
  ];
}

/** The base map from the data that ship with the page. */
export function baseStyle(theme: Theme): StyleSpecification {
  return {
    version: 8,
    sources: { base: { type: 'geojson', data: new URL(baseMap, location.href).href } },
    layers: layersOf(theme),
  };
}

/** The colours of each layer of the base map: name of the layer, of the property, and the value. */
export function paintOf(theme: Theme): [string, string, unknown][] {
  return layersOf(theme).flatMap(({ id, paint }) =>
    Object.entries(paint ?? {})
      .filter(([name]) => name.endsWith('color'))
      .map(([name, value]): [string, string, unknown] => [id, name, value]),
  );
}
