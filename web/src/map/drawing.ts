import { effect, signal } from '@preact/signals';
import type { FeatureCollection, Position } from 'geojson';
import type { GeoJSONSource, Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl';
import { addUnits } from '../state/units.js';

/** The corners of the polygon that is being drawn; null while nothing is drawn. */
export const drawing = signal<readonly Position[] | null>(null);

const SOURCE = 'drawing';
/** A click this close to the first corner, in pixels, closes the polygon. */
const CLOSE_PX = 10;

let drawn = 0;

/** Ends drawing; three corners or more become a unit. */
export function finishDrawing(): void {
  const corners = drawing.peek();
  drawing.value = null;
  if (corners === null || corners.length < 3) return;
  drawn++;
  addUnits([
    {
      type: 'Feature',
      properties: { name: `Drawn ${drawn}` },
      geometry: { type: 'Polygon', coordinates: [[...corners, corners[0]!]] },
    },
  ]);
}

/** Draws polygons on a map: each click adds a corner, a click on the first one, Enter or a double click ends. */
export class Drawing {
  readonly #stop: () => void;

  constructor(readonly map: MapLibreMap) {
    map.on('load', () => {
      map.addSource(SOURCE, { type: 'geojson', data: shape([]) });
      map.addLayer({
        id: 'drawing-line',
        type: 'line',
        source: SOURCE,
        paint: { 'line-color': '#c2410c', 'line-width': 2.5 },
      });
      map.addLayer({
        id: 'drawing-corner',
        type: 'circle',
        source: SOURCE,
        filter: ['==', ['geometry-type'], 'Point'],
        paint: {
          'circle-radius': 5,
          'circle-color': '#ffffff',
          'circle-stroke-color': '#c2410c',
          'circle-stroke-width': 2.5,
        },
      });
    });
    map.on('click', this.#addCorner);
    document.addEventListener('keydown', this.#onKey);
    this.#stop = effect(() => {
      const corners = drawing.value;
      map.getCanvas().classList.toggle('is-drawing', corners !== null);
      if (corners === null) map.doubleClickZoom.enable();
      else map.doubleClickZoom.disable();
      map.getSource<GeoJSONSource>(SOURCE)?.setData(shape(corners ?? []));
    });
  }

  readonly #addCorner = ({ lngLat, point }: MapMouseEvent) => {
    const corners = drawing.peek();
    if (corners === null) return;
    const first = corners[0];
    if (first !== undefined && corners.length > 2) {
      const { x, y } = this.map.project([first[0]!, first[1]!]);
      if (Math.hypot(x - point.x, y - point.y) < CLOSE_PX) return finishDrawing();
    }
    const corner = [Number(lngLat.lng.toFixed(5)), Number(lngLat.lat.toFixed(5))];
    // The second click of a double click is at the same place.
    if (String(corners.at(-1)) === String(corner)) return finishDrawing();
    drawing.value = [...corners, corner];
  };

  readonly #onKey = (event: KeyboardEvent) => {
    if (drawing.peek() === null) return;
    if (event.key === 'Escape') drawing.value = null;
    if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) finishDrawing();
  };

  end(): void {
    this.#stop();
    document.removeEventListener('keydown', this.#onKey);
  }
}

function shape(corners: readonly Position[]): FeatureCollection {
  const lines = corners.length > 1 ? [{ type: 'LineString' as const, coordinates: [...corners] }] : [];
  const dots = corners.map((coordinates) => ({ type: 'Point' as const, coordinates }));
  return {
    type: 'FeatureCollection',
    features: [...lines, ...dots].map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
  };
}
