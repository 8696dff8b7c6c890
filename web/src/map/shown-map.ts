import { signal } from '@preact/signals';
import type { Map as MapLibreMap } from 'maplibre-gl';

/** The map of the page, for panels that move it or take its picture; null while there is none. */
export const shownMap = signal<MapLibreMap | null>(null);

/** Moves the map so that a box is in view, if there is one; at once for people who ask for reduced motion. */
export function showBox(box: readonly [number, number, number, number] | null): void {
  if (box === null) return;
  shownMap
    .peek()
    ?.fitBounds(box as [number, number, number, number], { padding: 60, maxZoom: 11, essential: false });
}

/** A picture of the map as it is drawn now, as a data URL; undefined without a map. */
export async function mapPicture(): Promise<string | undefined> {
  const map = shownMap.peek();
  if (map === null) return undefined;
  const picture = new Promise<string>((resolve) => {
    // The drawing is there only until the frame is shown.
    map.once('render', () => resolve(map.getCanvas().toDataURL('image/png')));
  });
  map.triggerRepaint();
  return picture;
}
