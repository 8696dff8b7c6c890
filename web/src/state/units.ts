import { signal } from '@preact/signals';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import type { Method } from '../api/types.js';

/** A planting unit. */
export interface Unit {
  /** Identifies it in requests. */
  readonly id: string;
  readonly name: string;
  readonly geometry: Polygon | MultiPolygon;
}

export const units = signal<readonly Unit[]>([]);
/** The unit that is marked on the map and in the table. */
export const chosenUnit = signal<string | null>(null);
/** The cost of a planted tree and of a sown spot; null where none is typed in. */
export const costs = signal<Readonly<Record<Method, number | null>>>({ manual: null, drone_seeded: null });

/** Properties of files that name a unit, in order of preference. */
const NAMES = ['name', 'unit', 'unit_id', 'unitid', 'stand', 'stand_id', 'id', 'label'];

/** Adds polygons, named by a property of theirs. Their names are text of others: shown, never run. */
export function addUnits(features: readonly Feature<Polygon | MultiPolygon>[]): void {
  const known = units.peek();
  const added = features.map(({ geometry, properties, id }, index) => {
    const ordinal = known.length + index + 1;
    return {
      id: `unit-${ordinal}`,
      name: nameIn(properties) ?? (id === undefined ? `Unit ${ordinal}` : String(id)),
      geometry,
    };
  });
  units.value = [...known, ...added];
}

function nameIn(properties: Readonly<Record<string, unknown>> | null): string | undefined {
  const fields = new Map(
    Object.entries(properties ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const value = NAMES.map((name) => fields.get(name)).find(
    (each) => each !== undefined && each !== null && each !== '',
  );
  return value === undefined ? undefined : String(value).slice(0, 120);
}

export function clearUnits(): void {
  units.value = [];
  chosenUnit.value = null;
}

/** West, south, east, north of units; null where no position of theirs is one in degrees, as in a file in metres. */
export function boxOf(shown: readonly Unit[]): [number, number, number, number] | null {
  const box: [number, number, number, number] = [180, 90, -180, -90];
  for (const { geometry } of shown) {
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    // Files may hold anything here.
    for (const position of polygons.flat(2) as unknown[]) {
      const [longitude, latitude]: unknown[] = Array.isArray(position) ? position : [];
      if (!isWithin(longitude, 180) || !isWithin(latitude, 90)) continue;
      box[0] = Math.min(box[0], longitude);
      box[1] = Math.min(box[1], latitude);
      box[2] = Math.max(box[2], longitude);
      box[3] = Math.max(box[3], latitude);
    }
  }
  return box[0] <= box[2] ? box : null;
}

const isWithin = (value: unknown, limit: number): value is number =>
  typeof value === 'number' && Math.abs(value) <= limit;
