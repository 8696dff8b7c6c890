import { batch, signal } from '@preact/signals';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import type { Method } from '../api/types.js';
import { propertyText } from '../page/format.js';

/** A planting unit. */
export interface Unit {
  /** Identifies it in requests. */
  readonly id: string;
  readonly name: string;
  /** Another object after each change of its corners. */
  readonly geometry: Polygon | MultiPolygon;
}

export const units = signal<readonly Unit[]>([]);
/** The unit that is marked on the map and in the table. */
export const chosenUnit = signal<string | null>(null);
/** The unit whose corners can be moved on the map. */
export const editedUnit = signal<string | null>(null);
/** What the units were before each of the last changes. */
export const earlierUnits = signal<readonly (readonly Unit[])[]>([]);
/** The cost of a planted tree and of a sown spot; null where none is typed in. */
export const costs = signal<Readonly<Record<Method, number | null>>>({ manual: null, drone_seeded: null });

/** Whether only the chosen species is planned. */
export const onlyChosenSpecies = signal(false);
export const nativeOnly = signal(true);
/** Whether the table shows only the best option of each unit. */
export const onlyBest = signal(true);
/** The text that rows of the table contain. */
export const planFilter = signal('');

export type SortKey = 'unit' | 'rank' | 'species' | 'survival' | 'cost';
export const planOrder = signal<{ readonly by: SortKey; readonly isReversed: boolean }>({
  by: 'unit',
  isReversed: false,
});

/** Properties of files that name a unit, in order of preference. */
const NAMES = ['name', 'unit', 'unit_id', 'unitid', 'stand', 'stand_id', 'id', 'label'];
/** Changes that can be undone. */
const MAX_UNDO = 50;
const MAX_NAME = 120;

let added = 0;

/** Adds polygons, named by a property of theirs. Their names are text of others: shown, never run. */
export function addUnits(features: readonly Feature<Polygon | MultiPolygon>[]): void {
  if (features.length === 0) return;
  const known = units.peek();
  const more = features.map(({ geometry, properties, id }, index) => ({
    id: `unit-${++added}`,
    name: nameIn(properties) ?? (nameOf(id) || `Unit ${known.length + index + 1}`),
    geometry,
  }));
  change([...known, ...more]);
}

/** Gives a unit another name or other corners. */
export function changeUnit(id: string, changes: Partial<Pick<Unit, 'name' | 'geometry'>>): void {
  change(units.peek().map((unit) => (unit.id === id ? { ...unit, ...changes } : unit)));
}

export function removeUnit(id: string): void {
  change(units.peek().filter((unit) => unit.id !== id));
}

export function clearUnits(): void {
  change([]);
}

/** Takes back the last change of the units. */
export function undo(): void {
  const last = earlierUnits.peek().at(-1);
  if (last === undefined) return;
  batch(() => {
    earlierUnits.value = earlierUnits.peek().slice(0, -1);
    show(last);
  });
}

function change(next: readonly Unit[]): void {
  batch(() => {
    earlierUnits.value = [...earlierUnits.peek(), units.peek()].slice(-MAX_UNDO);
    show(next);
  });
}

/** Shows other units; what is no longer among them is neither chosen nor edited. */
function show(next: readonly Unit[]): void {
  units.value = next;
  for (const choice of [chosenUnit, editedUnit])
    if (!next.some(({ id }) => id === choice.peek())) choice.value = null;
}

function nameIn(properties: Readonly<Record<string, unknown>> | null): string | undefined {
  const fields = new Map(
    Object.entries(properties ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return NAMES.map((name) => nameOf(fields.get(name))).find((name) => name !== '');
}

/** A property as the name of a unit; '' where it holds none, as a blank one. */
const nameOf = (value: unknown) => propertyText(value).trim().slice(0, MAX_NAME);

/** West, south, east, north of units; null where no position of theirs is one in degrees, as in a file in metres. */
export function boxOf(shown: readonly Unit[]): Box | null {
  return boxAround(
    shown.flatMap(({ geometry }) =>
      (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates).flat(2),
    ),
  );
}

/** West, south, east and north of positions. */
export type Box = [number, number, number, number];

/** The box around positions, of which files may hold anything: what is none in degrees is left out. */
export function boxAround(positions: readonly unknown[]): Box | null {
  const box: Box = [180, 90, -180, -90];
  for (const position of positions) {
    const [longitude, latitude]: unknown[] = Array.isArray(position) ? position : [];
    if (!isWithin(longitude, 180) || !isWithin(latitude, 90)) continue;
    box[0] = Math.min(box[0], longitude);
    box[1] = Math.min(box[1], latitude);
    box[2] = Math.max(box[2], longitude);
    box[3] = Math.max(box[3], latitude);
  }
  return box[0] <= box[2] ? box : null;
}

const isWithin = (value: unknown, limit: number): value is number =>
  typeof value === 'number' && Math.abs(value) <= limit;
