import { signal } from '@preact/signals';
import type { Map as MapLibreMap } from 'maplibre-gl';
import type { Place } from '../state/choices.js';
import type { ShownLayer } from './layers.js';

/** The map of the page, for panels that move it or take its picture; null while there is none. */
export const shownMap = signal<MapLibreMap | null>(null);

/** What its cells show; null until it is loaded. */
export const shownLayer = signal<ShownLayer | null>(null);

/** Whether its cells are still those of earlier choices. */
export const isMapLoading = signal(false);

/** Pixels around a box in view; most at the top, which the edit bar covers. */
const PADDING = { top: 110, bottom: 60, left: 60, right: 60 };
const NARROW_PADDING = { top: 160, bottom: 40, left: 40, right: 40 };

/** Moves the map so that a box is in view, if there is one; at once for people who ask for reduced motion. */
export function showBox(box: readonly [number, number, number, number] | null): void {
  const map = shownMap.peek();
  if (box === null || map === null) return;
  const isNarrow = window.matchMedia('(max-width: 800px)').matches;
  const padding = isNarrow ? NARROW_PADDING : besideLegend(map.getContainer());
  // A map that is lower than the padding would not be moved.
  const most = map.getCanvas().clientHeight / 2;
  map.fitBounds(box as [number, number, number, number], {
    padding: { ...padding, top: Math.min(padding.top, most), bottom: Math.min(padding.bottom, most / 2) },
    maxZoom: 14,
    essential: false,
  });
}

/** The width of an open legend in pixels, for the time before the first layer is loaded, when there is no legend yet. */
const LEGEND_WIDTH = 250;

/** Keeps what is shown clear of an open legend on the right of the map, where the map has room for both. */
function besideLegend({ clientWidth }: HTMLElement) {
  const shown = document.querySelector<HTMLDetailsElement>('.legend');
  const legend = shown?.open === false ? 0 : (shown?.offsetWidth ?? LEGEND_WIDTH);
  return { ...PADDING, right: PADDING.right + (clientWidth > 3 * legend ? legend : 0) };
}

/** Zoom at which the surroundings of a town fill the map. */
const PLACE_ZOOM = 9;

/** Moves the map to a place, and zooms in if needed, never out. */
export function showOnMap({ latitude, longitude }: Place): void {
  const map = shownMap.peek();
  map?.easeTo({ center: [longitude, latitude], zoom: Math.max(map.getZoom(), PLACE_ZOOM) });
}
