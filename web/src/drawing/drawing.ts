import { effect, signal } from '@preact/signals';
import type { FeatureCollection, Position } from 'geojson';
import type { GeoJSONSource, Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl';
import { showBox, shownMap } from '../map/shown-map.js';
import { counted } from '../page/format.js';
import { panel } from '../state/choices.js';
import { addDrawnUnit, boxAround, drawing, editedUnit, undo } from '../state/units.js';

/** Whether the last attempt to finish failed because a unit needs more corners. */
export const hasTooFewCorners = signal(false);

const SOURCE = 'drawing';
/** A click this close to the first corner, in pixels, closes the polygon; a finger is less exact. */
const CLOSE_PX = window.matchMedia('(pointer: coarse)').matches ? 22 : 10;
/** Fields that take text, in which keys edit the text. */
const TEXT_FIELDS = 'input:not([type="checkbox"], [type="radio"], [type="range"], [type="file"]), textarea';

/** Starts a polygon without corners, and scrolls the map into view. */
export function startDrawing(): void {
  editedUnit.value = null;
  drawing.value = [];
  hasTooFewCorners.value = false;
  shownMap.peek()?.getContainer().scrollIntoView({ block: 'nearest' });
}

/** Asks before corners that would make a unit are discarded; true if there are none. */
export function mayDiscardCorners(): boolean {
  const count = drawing.peek()?.length ?? 0;
  return count < 3 || window.confirm(`Discard ${counted(count, 'corner')}?`);
}

/** Ends drawing without a unit. */
export function cancelDrawing(): void {
  if (mayDiscardCorners()) drawing.value = null;
}

export function removeLastCorner(): void {
  drawing.value = drawing.peek()?.slice(0, -1) ?? null;
}

/** Ends drawing: the corners become a unit, which is chosen. With fewer than three, drawing continues. */
export function finishDrawing(): void {
  const corners = drawing.peek();
  if (corners === null) return;
  hasTooFewCorners.value = corners.length < 3;
  if (hasTooFewCorners.value) return;
  drawing.value = null;
  addDrawnUnit({ type: 'Polygon', coordinates: [[...corners, corners[0]]] });
  // Corners that were typed may be anywhere.
  const view = shownMap.peek()?.getBounds();
  if (corners.some(([longitude, latitude]) => view?.contains([longitude, latitude]) === false))
    showBox(boxAround(corners));
}

/** Draws polygons on a map: a click adds a corner; a click on the first one, Enter or a double click finishes. */
export class Drawing {
  readonly end: () => void;

  constructor(readonly map: MapLibreMap) {
    map.on('style.load', () => {
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
    this.end = effect(() => {
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
      const { x, y } = this.map.project([first[0], first[1]]);
      if (Math.hypot(x - point.x, y - point.y) < CLOSE_PX) return finishDrawing();
    }
    const corner = [Number(lngLat.lng.toFixed(5)), Number(lngLat.lat.toFixed(5))];
    // The second click of a double click is at the same place.
    if (String(corners.at(-1)) === String(corner)) return finishDrawing();
    drawing.value = [...corners, corner];
  };
}

/** Listens to the keys that draw and undo, which need no map. @returns a stop function */
export function listenToKeys(): () => void {
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

function onKey(event: KeyboardEvent): void {
  const { target } = event;
  if (target instanceof Element && target.matches(TEXT_FIELDS)) return;
  const isDrawing = drawing.peek() !== null;
  // With Caps Lock the key is Z. Control, Shift and Z are Redo in other programs.
  const isUndo = event.key.toLowerCase() === 'z' && !event.shiftKey && (event.ctrlKey || event.metaKey);
  if (event.key === 'Escape') {
    cancelDrawing();
    editedUnit.value = null;
  } else if (isUndo && panel.peek() === 'units') {
    event.preventDefault();
    if (isDrawing) removeLastCorner();
    else undo();
  } else if (isDrawing && event.key === 'Backspace') removeLastCorner();
  else if (isDrawing && event.key === 'Enter' && !handlesEnter(target)) finishDrawing();
}

/** Whether Enter presses the element that has the focus. */
const handlesEnter = (target: EventTarget | null) =>
  target instanceof Element && target.matches('button, summary, select, a[href], [type="file"]');

function shape(corners: readonly Position[]): FeatureCollection {
  const lines = corners.length > 1 ? [{ type: 'LineString' as const, coordinates: [...corners] }] : [];
  const dots = corners.map((coordinates) => ({ type: 'Point' as const, coordinates }));
  return {
    type: 'FeatureCollection',
    features: [...lines, ...dots].map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
  };
}
