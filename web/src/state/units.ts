import { batch, signal } from '@preact/signals';
import type { Feature, MultiPolygon, Polygon, Position } from 'geojson';
import { propertyText } from '../page/format.js';
import { insideOf } from './corners.js';

type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/** A planting unit. */
export interface Unit {
  /** Identifies it in requests. */
  readonly id: string;
  readonly name: string;
  /** Its properties in the file, by column; empty for a drawn unit. Untrusted text. */
  readonly attributes: Attributes;
  /** Another object after each change of its corners. */
  readonly geometry: Polygon | MultiPolygon;
}

export const units = signal<readonly Unit[]>([]);
/** Ids of the units whose best option is unsure; they are drawn with a broken line. */
export const unsureUnits = signal<ReadonlySet<string>>(new Set());
/** The unit that is marked on the map and in the table. */
export const chosenUnit = signal<string | null>(null);
/** The corners of the polygon that is being drawn; null while nothing is drawn. */
export const drawing = signal<readonly Position[] | null>(null);
/** The unit that was drawn last. */
export const drawnUnit = signal<string | null>(null);
/** The unit whose corners can be moved on the map. */
export const editedUnit = signal<string | null>(null);
/** The units before each of the last changes, for Undo. */
export const earlierUnits = signal<readonly (readonly Unit[])[]>([]);
/** Properties of files that name a unit, in order of preference. */
const NAMES = ['name', 'unit', 'unit_id', 'unitid', 'stand', 'stand_id', 'id', 'label'];
/** Changes that can be undone. */
const MAX_UNDO = 50;
const MAX_NAME = 120;

let added = 0;
let drawnCount = 0;

/**
 * Adds polygons of a file, each with a unique name, taken from one of its properties if possible. A polygon with the
 * same attributes and corners as a unit is not added again.
 * @returns how many were there already
 */
export function addUnits(features: readonly Feature<Polygon | MultiPolygon>[]): number {
  if (features.length === 0) return 0;
  const known = units.peek();
  const texts = new Set(known.map(({ attributes, geometry }) => JSON.stringify([attributes, geometry])));
  const names = new Names(known);
  const more = features.flatMap(({ geometry, properties, id }, index): Unit[] => {
    const attributes = attributesOf(properties);
    if (texts.has(JSON.stringify([attributes, geometry]))) return [];
    const wanted = nameIn(properties) ?? (nameOf(id) || `Unit ${known.length + index + 1}`);
    return [{ id: `unit-${++added}`, name: names.take(wanted), attributes, geometry }];
  });
  if (more.length > 0) change([...known, ...more]);
  return features.length - more.length;
}

/** Adds a drawn unit, even one with the corners of another, and chooses it. */
export function addDrawnUnit(geometry: Polygon): void {
  const known = units.peek();
  const unit = {
    id: `unit-${++added}`,
    name: new Names(known).take(`Drawn ${++drawnCount}`),
    attributes: {},
    geometry,
  };
  change([...known, unit]);
  drawnUnit.value = unit.id;
  chosenUnit.value = unit.id;
}

/** Replaces all units, such as by those of a project; the change can be undone. */
export function replaceUnits(others: readonly Omit<Unit, 'id'>[]): void {
  change(others.map((unit) => ({ ...unit, id: `unit-${++added}` })));
}

/** Divides a unit into parts, which have its attributes. */
export function divideUnit(id: string, parts: readonly Pick<Unit, 'name' | 'geometry'>[]): void {
  const names = new Names(units.peek());
  change(
    units.peek().flatMap((unit) =>
      unit.id !== id
        ? [unit]
        : parts.map(({ name, geometry }) => ({
            id: `unit-${++added}`,
            name: names.take(name),
            attributes: unit.attributes,
            geometry,
          })),
    ),
  );
}

/** The names of units: a name that is taken gets a number. */
class Names {
  readonly #taken: Map<string, number>;

  constructor(known: readonly Unit[]) {
    this.#taken = new Map(known.map(({ name }) => [name, 1]));
  }

  take(wanted: string): string {
    let name = wanted;
    for (let count = this.#taken.get(wanted) ?? 0; this.#taken.has(name); ) {
      name = `${wanted} (${++count})`;
      this.#taken.set(wanted, count);
    }
    this.#taken.set(name, this.#taken.get(name) ?? 1);
    return name;
  }
}

/** The properties of a feature as plain values; numbers are finite, since kept work and projects have no others. */
function attributesOf(properties: Readonly<Record<string, unknown>> | null): Attributes {
  const isPlain = (value: unknown) =>
    value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, value]) => [
      name,
      isPlain(value) ? (value as string | number | boolean | null) : propertyText(value) || null,
    ]),
  );
}

/** Gives a unit another name, with a number if another unit has it, or other corners. */
export function changeUnit(id: string, changes: Partial<Pick<Unit, 'name' | 'geometry'>>): void {
  const others = units.peek().filter((unit) => unit.id !== id);
  const name = changes.name === undefined ? {} : { name: new Names(others).take(changes.name) };
  change(units.peek().map((unit) => (unit.id === id ? { ...unit, ...changes, ...name } : unit)));
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

/** A property as the name of a unit; '' if it is blank. */
const nameOf = (value: unknown) => propertyText(value).trim().slice(0, MAX_NAME);

/** The unit at a place, the topmost if there are several; undefined if there is none. */
export const unitAt = (longitude: number, latitude: number): Unit | undefined =>
  units.peek().findLast(({ geometry }) => insideOf(geometry)([longitude, latitude]));

/** The box around units; null if none of their positions is in degrees, as in a file in metres. */
export function boxOf(shown: readonly Unit[]): Box | null {
  return boxAround(
    shown.flatMap(({ geometry }) =>
      (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates).flat(2),
    ),
  );
}

/** West, south, east and north of positions. */
export type Box = [number, number, number, number];

/** The box around positions, without those that are not in degrees: files may hold anything. */
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
