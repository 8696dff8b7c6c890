import { effect, signal } from '@preact/signals';
import type { Position } from 'geojson';
import { type Map as MapLibreMap, Marker } from 'maplibre-gl';
import { draft } from '../map/unit-layers.js';
import {
  type CornerAt,
  insertCorner,
  isRemovable,
  moveCorner,
  type Rings,
  removeCorner,
  ringsOf,
  withRings,
} from '../state/corners.js';
import { changeUnit, editedUnit, type Unit, units } from '../state/units.js';

/** The corner that was clicked or focused last, which can be removed; null for none. */
export const chosenCorner = signal<CornerAt | null>(null);
/** Whether corners in view have no handle: there are too many, or handles would touch. */
export const hasHiddenCorners = signal(false);

/** Corners in view that get a handle each. */
const MAX_HANDLES = 150;
/** Least distance between the centres of two handles, in pixels: closer ones would touch. */
const MIN_DISTANCE_PX = 18;
/** Pixels that an arrow key moves a corner, and with Shift. */
const STEP_PX = 1;
const LARGE_STEP_PX = 10;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Removes the chosen corner of the edited unit, unless its ring has only three, and chooses the one before it. */
export function removeChosenCorner(): void {
  const unit = units.peek().find(({ id }) => id === editedUnit.peek());
  const at = chosenCorner.peek();
  const rings = unit === undefined ? null : ringsOf(unit.geometry);
  if (unit === undefined || rings === null || at === null || !isRemovable(rings, at)) return;
  chosenCorner.value = { ...at, index: Math.max(0, at.index - 1) };
  changeUnit(unit.id, { geometry: withRings(unit.geometry, removeCorner(rings, at)) });
}

/** Shows handles on the corners of the edited unit, and between them to add corners. @returns a stop function */
export function showHandles(map: MapLibreMap): () => void {
  let markers: Marker[] = [];
  const clear = () => {
    for (const marker of markers) marker.remove();
    markers = [];
    draft.value = null; // a handle that is removed while it is dragged does not end its drag
  };
  const render = (unit: Unit | undefined) => {
    // The handle that has the focus is replaced, too.
    const focused = markers.some((marker) => marker.getElement() === document.activeElement);
    clear();
    const rings = unit === undefined ? null : ringsOf(unit.geometry);
    hasHiddenCorners.value = false;
    if (unit === undefined || rings === null) return;
    const view = map.getBounds();
    const isVisible = ([longitude, latitude]: Position) => view.contains([longitude, latitude]);
    const visible = rings.flat().filter(isVisible);
    if (visible.length > MAX_HANDLES) {
      hasHiddenCorners.value = true;
      return;
    }
    const at = chosenCorner.peek();
    const spread = spreadOut(map, visible, at === null ? undefined : rings[at.ring]?.[at.index]);
    hasHiddenCorners.value = visible.some((corner) => !spread.has(corner));
    const change = (next: Rings) => changeUnit(unit.id, { geometry: withRings(unit.geometry, next) });
    const add = (position: Position, isMiddle: boolean, label: string, at: CornerAt) => {
      const marker = handle(position, isMiddle, label);
      const changed = (to: Position) => (isMiddle ? insertCorner : moveCorner)(rings, at, to);
      marker.on('drag', () => {
        draft.value = { id: unit.id, geometry: withRings(unit.geometry, changed(positionOf(marker))) };
      });
      const place = (to: Position) => {
        chosenCorner.value = at;
        change(changed(to));
      };
      marker.on('dragend', () => place(positionOf(marker)));
      const element = marker.getElement();
      element.addEventListener('click', (event) => {
        event.stopPropagation(); // it is not a click on the map
        if (isMiddle) place(position);
        else element.focus();
      });
      if (!isMiddle) {
        element.addEventListener('focus', () => {
          chosenCorner.value = at;
        });
        element.addEventListener('keydown', (event) => {
          const to = moved(map, position, event);
          if (to !== null) place(to);
          else if (event.key === 'Delete' || event.key === 'Backspace') removeChosenCorner();
          else return;
          event.preventDefault();
          event.stopPropagation(); // the map would move
        });
      }
      marker.addTo(map);
      markers.push(marker);
      if (isMiddle) return;
      element.dataset.corner = keyOf(at);
      if (focused && element.dataset.corner === keyOf(chosenCorner.peek()))
        element.focus({ preventScroll: true });
    };
    for (const [ring, corners] of rings.entries())
      for (const [index, corner] of corners.entries()) {
        const next = corners[(index + 1) % corners.length];
        const middle = [(corner[0] + next[0]) / 2, (corner[1] + next[1]) / 2];
        const name = `${index + 1} of ${corners.length}${rings.length > 1 ? `, ring ${ring + 1}` : ''}`;
        if (isVisible(middle) && spread.areApart(corner, next))
          add(middle, true, `Add a corner after corner ${name}`, { ring, index: index + 1 });
        if (isVisible(corner) && spread.has(corner)) add(corner, false, `Corner ${name}`, { ring, index });
      }
  };
  const edited = () => units.value.find(({ id }) => id === editedUnit.value);
  const mark = (chosen: CornerAt | null) => {
    for (const marker of markers) {
      const element = marker.getElement();
      element.classList.toggle('is-chosen', chosen !== null && element.dataset.corner === keyOf(chosen));
    }
  };
  const stops = [
    effect(() => {
      const unit = edited();
      if (unit === undefined) chosenCorner.value = null;
      render(unit);
      mark(chosenCorner.peek());
    }),
    effect(() => mark(chosenCorner.value)),
  ];
  const onMove = () => {
    if (editedUnit.peek() === null) return;
    render(units.peek().find(({ id }) => id === editedUnit.peek()));
    mark(chosenCorner.peek());
  };
  map.on('moveend', onMove);
  return () => {
    for (const stop of stops) stop();
    clear();
    map.off('moveend', onMove);
  };
}

/** Corners whose handles do not touch: the chosen one, then each that is far enough from those already taken. */
function spreadOut(map: MapLibreMap, corners: readonly Position[], chosen: Position | undefined) {
  const pixel = ([longitude, latitude]: Position) => map.project([longitude, latitude]);
  const pixels: ReturnType<typeof pixel>[] = [];
  const shown = new Set<Position>();
  for (const corner of chosen === undefined ? corners : [chosen, ...corners]) {
    const at = pixel(corner);
    if (pixels.some((each) => each.dist(at) < MIN_DISTANCE_PX)) continue;
    pixels.push(at);
    shown.add(corner);
  }
  return {
    has: (corner: Position) => shown.has(corner),
    /** Whether a handle between two neighbours touches neither. */
    areApart: (a: Position, b: Position) => pixel(a).dist(pixel(b)) >= 2 * MIN_DISTANCE_PX,
  };
}

const keyOf = (at: CornerAt | null) => (at === null ? '' : `${at.ring}/${at.index}`);

function handle(position: Position, isMiddle: boolean, label: string): Marker {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = isMiddle ? 'handle is-middle' : 'handle';
  element.setAttribute('aria-label', label);
  // The keyboard adds corners in the list of corners.
  element.tabIndex = isMiddle ? -1 : 0;
  return new Marker({ element, draggable: true }).setLngLat([position[0], position[1]]);
}

function positionOf(marker: Marker): Position {
  const { lng, lat } = marker.getLngLat();
  return [rounded(lng), rounded(lat)];
}

/** Where an arrow key moves a corner; null for other keys. */
function moved(map: MapLibreMap, position: Position, { key, shiftKey }: KeyboardEvent): Position | null {
  const direction = ARROWS[key];
  if (direction === undefined) return null;
  const step = shiftKey ? LARGE_STEP_PX : STEP_PX;
  const { x, y } = map.project([position[0], position[1]]);
  const { lng, lat } = map.unproject([x + direction[0] * step, y + direction[1] * step]);
  return [rounded(lng), rounded(lat)];
}

/** Degrees with five decimals, about a metre. */
const rounded = (degrees: number) => Number(degrees.toFixed(5));
