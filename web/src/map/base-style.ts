import type {
  ExpressionSpecification,
  LayerSpecification,
  StyleSpecification,
  SymbolLayerSpecification,
} from 'maplibre-gl';
import baseMap from '../../base-map/base-map.json?url';
import relief from '../../base-map/relief.pmtiles?url';

/** The colours of the base map by theme. */
const THEMES = {
  light: {
    water: '#cfdde4',
    land: '#eceae4',
    state: '#f8f7f3',
    river: '#7fa3b8',
    line: '#8b8f88',
    county: '#b9bbb3',
    glacier: '#ffffff',
    text: '#2d332e',
    quiet: '#5b635d',
    blue: '#2c5a78',
    halo: '#ffffff',
    relief: [0.55, 1],
  },
  dark: {
    water: '#10191d',
    land: '#1c211f',
    state: '#262c29',
    river: '#4a6b7d',
    line: '#8d958f',
    county: '#4b534e',
    glacier: '#55636a',
    text: '#e8ece8',
    quiet: '#b4bdb6',
    blue: '#9cc3da',
    halo: '#141a17',
    relief: [0.02, 0.34],
  },
} as const;

export type Theme = keyof typeof THEMES;

/** The lowest layer that lies over the cells; the layers below it are the ground. */
export const FIRST_OVER_CELLS = 'lake';

const kind = (name: string): ExpressionSpecification => ['==', ['get', 'kind'], name];

/** Towns by zoom: the cities of the region first, villages from zoom 10. */
const SHOWN_TOWN: ExpressionSpecification = [
  '>=',
  ['get', 'population'],
  ['step', ['zoom'], 150_000, 6, 50_000, 7, 20_000, 8, 8000, 9, 1500, 10, 0],
];

interface LabelOptions {
  readonly minzoom?: number;
  readonly filter?: ExpressionSpecification;
  readonly layout?: SymbolLayerSpecification['layout'];
}

/** Names of features of a kind, with a halo that keeps them readable over all colours of cells. */
function label(
  id: string,
  ofKind: string,
  paint: { readonly colour: string; readonly halo: string },
  size: number | ExpressionSpecification,
  { minzoom = 0, filter, layout }: LabelOptions,
): SymbolLayerSpecification {
  return {
    id,
    type: 'symbol',
    source: 'base',
    minzoom,
    filter: filter === undefined ? kind(ofKind) : ['all', kind(ofKind), filter],
    layout: { 'text-field': ['get', 'name'], 'text-font': ['sans-serif'], 'text-size': size, ...layout },
    paint: { 'text-color': paint.colour, 'text-halo-color': paint.halo, 'text-halo-width': 1.6 },
  };
}

function layersOf(theme: Theme): LayerSpecification[] {
  const { water, land, state, river, line, county, glacier, text, quiet, blue, halo } = THEMES[theme];
  const [darkest, brightest] = THEMES[theme].relief;
  const source = 'base';
  return [
    { id: 'water', type: 'background', paint: { 'background-color': water } },
    { id: 'land', type: 'fill', source, filter: kind('land'), paint: { 'fill-color': land } },
    { id: 'state', type: 'fill', source, filter: kind('state'), paint: { 'fill-color': state } },
    { id: 'glacier', type: 'fill', source, filter: kind('glacier'), paint: { 'fill-color': glacier } },
    {
      id: 'relief',
      type: 'raster',
      source: 'relief',
      paint: {
        'raster-brightness-min': darkest,
        'raster-brightness-max': brightest,
        'raster-fade-duration': 0,
      },
    },
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
    label('river-name', 'river', { colour: blue, halo }, 11, {
      minzoom: 7,
      filter: ['has', 'name'],
      layout: { 'symbol-placement': 'line', 'text-letter-spacing': 0.05 },
    }),
    label('lake-name', 'lake', { colour: blue, halo }, 11, { minzoom: 7, filter: ['has', 'name'] }),
    label('county-name', 'county-name', { colour: quiet, halo }, 11, {
      minzoom: 7,
      layout: { 'text-transform': 'uppercase', 'text-letter-spacing': 0.1 },
    }),
    {
      id: 'town-dot',
      type: 'circle',
      source,
      filter: ['all', kind('town'), SHOWN_TOWN],
      paint: {
        'circle-radius': 2.5,
        'circle-color': text,
        'circle-stroke-color': halo,
        'circle-stroke-width': 1,
      },
    },
    label(
      'town',
      'town',
      { colour: text, halo },
      ['interpolate', ['linear'], ['log10', ['get', 'population']], 3, 11, 6, 15],
      {
        filter: SHOWN_TOWN,
        layout: {
          'text-anchor': 'left',
          'text-offset': [0.6, 0],
          'symbol-sort-key': ['-', 0, ['get', 'population']],
        },
      },
    ),
  ];
}

const urlOf = (file: string) => new URL(file, location.href).href;

/** The base map from the data that ship with the page. */
export function baseStyle(theme: Theme): StyleSpecification {
  return {
    version: 8,
    sources: {
      base: { type: 'geojson', data: urlOf(baseMap) },
      relief: { type: 'raster', url: `pmtiles://${urlOf(relief)}`, tileSize: 512 },
    },
    layers: layersOf(theme),
  };
}

/** The colours of each layer of the base map: name of the layer, of the property, and the value. */
export function paintOf(theme: Theme): [string, string, unknown][] {
  return layersOf(theme).flatMap(({ id, paint }) =>
    Object.entries(paint ?? {})
      .filter(([name]) => /color$|^raster-brightness/.test(name))
      .map(([name, value]): [string, string, unknown] => [id, name, value]),
  );
}
