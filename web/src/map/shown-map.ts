import { signal } from '@preact/signals';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { type Place, site } from '../state/choices.js';
import type { ShownLayer } from './layers.js';

/** The map of the page, for panels that move it or take its picture; null while there is none. */
export const shownMap = signal<MapLibreMap | null>(null);

/** What its cells show; null until it is loaded. */
export const shownLayer = signal<ShownLayer | null>(null);

/** Whether its cells are still those of earlier choices. */
export const isMapLoading = signal(false);

/** Moves the map so that a box is in view, if there is one; at once for people who ask for reduced motion. */
export function showBox(box: readonly [number, number, number, number] | null): void {
  if (box === null) return;
  shownMap
    .peek()
    ?.fitBounds(box as [number, number, number, number], { padding: 60, maxZoom: 11, essential: false });
}

/** Zoom at which the surroundings of a town fill the map. */
const PLACE_ZOOM = 9;

/** Moves the map to a place, no farther away than now. */
export function showOnMap({ latitude, longitude }: Place): void {
  const map = shownMap.peek();
  map?.easeTo({ center: [longitude, latitude], zoom: Math.max(map.getZoom(), PLACE_ZOOM) });
}

/** A picture of the map as it is drawn now with a dot at the site, as a data URL; undefined without a map. */
export async function mapPicture(): Promise<string | undefined> {
  const map = shownMap.peek();
  if (map === null) return undefined;
  const picture = new Promise<string>((resolve) => {
    // The drawing is there only until the frame is shown.
    map.once('render', () => resolve(pictureOf(map)));
  });
  map.triggerRepaint();
  return picture;
}

const DOT_PX = 7;

function pictureOf(map: MapLibreMap): string {
  const drawn = map.getCanvas();
  const canvas = document.createElement('canvas');
  canvas.width = drawn.width;
  canvas.height = drawn.height;
  const context = canvas.getContext('2d');
  context?.drawImage(drawn, 0, 0);
  if (context !== null && site.value !== null) {
    const { x, y } = map.project([site.value.longitude, site.value.latitude]);
    const scale = drawn.width / drawn.clientWidth;
    context.beginPath();
    context.arc(x * scale, y * scale, DOT_PX * scale, 0, 2 * Math.PI);
    context.fillStyle = '#c2410c';
    context.strokeStyle = '#ffffff';
    context.lineWidth = 2 * scale;
    context.fill();
    context.stroke();
  }
  return canvas.toDataURL('image/png');
}
