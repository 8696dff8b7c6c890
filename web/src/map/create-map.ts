import { effect } from '@preact/signals';
import {
  AttributionControl,
  addProtocol,
  Map as MapLibreMap,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl';
import 'maplibre-gl/dist/maplibre-gl.css';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { Protocol } from 'pmtiles';
import type { Place } from '../state/choices.js';
import { measures } from '../state/measures.js';
import { baseStyle, FIRST_OVER_CELLS, paintOf, type Theme } from './base-style.js';
import type { CellLayer } from './cell-layer.js';

setWorkerUrl(new URL(workerUrl, location.href).href);
addProtocol('pmtiles', new Protocol().tile);

/** Oregon and Washington. */
const REGION: [number, number, number, number] = [-124.9, 41.9, -116.4, 49.1];
const LIMITS: [number, number, number, number] = [-131, 38, -110, 53];

/** On a narrower map the open attribution would cover the scale bar, or the buttons of the legend where it wraps. */
const MIN_OPEN_ATTRIBUTION_PX = 750;
const darkTheme = window.matchMedia('(prefers-color-scheme: dark)');
const themeNow = (): Theme => (darkTheme.matches ? 'dark' : 'light');

/** The style of the operator's own map; empty for the base map that ships. */
const ownStyle = document.querySelector<HTMLMetaElement>('meta[name="map-style"]')?.content ?? '';

/**
 * A map with the cells between ground and labels.
 * @param onOwnStyleFailure called when the operator's style cannot be loaded and the base map takes its place
 */
export function createMap(
  container: HTMLElement,
  cells: CellLayer,
  camera: { readonly zoom: number; readonly center: Place } | null,
  onOwnStyleFailure: () => void,
): MapLibreMap {
  const map = new MapLibreMap({
    container,
    style: ownStyle === '' ? baseStyle(themeNow()) : ownStyle,
    ...(camera === null
      ? { bounds: REGION, fitBoundsOptions: { padding: 12 } }
      : { zoom: camera.zoom, center: [camera.center.longitude, camera.center.latitude] as [number, number] }),
    maxBounds: LIMITS,
    maxZoom: 17,
    minZoom: 4,
    dragRotate: false,
    pitchWithRotate: false,
    attributionControl: false,
    fadeDuration: 0,
    locale: { 'Map.Title': 'Map of survival in Oregon and Washington' },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }), 'top-left');
  const scale = new ScaleControl();
  map.addControl(scale, 'bottom-left');
  const stop = effect(() => scale.setUnit(measures.value === 'us' ? 'imperial' : 'metric'));
  map.on('remove', stop);
  map.addControl(
    new AttributionControl({
      compact: true,
      customAttribution:
        'Terrain: Viewfinder Panoramas. Towns: GeoNames. Natural Earth; US Census Bureau. Made with MapLibre',
    }),
    'bottom-right',
  );
  if (container.clientWidth < MIN_OPEN_ATTRIBUTION_PX) {
    const attribution = container.querySelector('.maplibregl-ctrl-attrib');
    attribution?.removeAttribute('open');
    attribution?.classList.remove('maplibregl-compact-show');
  }
  // Not on `load`, which waits for every tile.
  map.on('style.load', () => {
    map.addLayer(cells, map.getLayer(FIRST_OVER_CELLS) === undefined ? undefined : FIRST_OVER_CELLS);
  });
  if (ownStyle !== '') {
    let hasStyle = false;
    map.once('styledata', () => {
      hasStyle = true;
    });
    // Later errors concern single tiles.
    map.on('error', () => {
      if (hasStyle) return;
      hasStyle = true;
      map.setStyle(baseStyle(themeNow()));
      onOwnStyleFailure();
    });
  } else {
    const changeColours = () => {
      for (const [id, name, value] of paintOf(themeNow()))
        map.setPaintProperty(id, name as 'fill-color', value as string);
    };
    darkTheme.addEventListener('change', changeColours);
    map.on('remove', () => darkTheme.removeEventListener('change', changeColours));
  }
  return map;
}
