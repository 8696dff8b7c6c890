import type { MultiPolygon, Polygon, Position } from 'geojson';
import pointInPolygon from 'point-in-polygon-hao';
import { placeIn } from './coordinates.js';

/** The place of a corner among the rings of a unit. */
export interface CornerAt {
  readonly ring: number;
  readonly index: number;
}

/** Corners by ring: outlines and holes in the order of the geometry, without the repeated first corner. */
export type Rings = readonly (readonly Position[])[];

/** The rings of a geometry; null unless each has at least three corners, all in degrees: files may be damaged. */
export function ringsOf(geometry: Polygon | MultiPolygon): Rings | null {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const rings: unknown[] = polygons.flat();
  if (!rings.every(isRing)) return null;
  const open = rings.map((ring) => (isSame(ring[0], ring.at(-1)!) ? ring.slice(0, -1) : ring));
  return open.length > 0 && open.every(({ length }) => length >= 3) ? open : null;
}

/** @returns a test whether a position lies inside the geometry, edges included; never inside a damaged geometry */
export function insideOf(geometry: Polygon | MultiPolygon): (position: [number, number]) => boolean {
  const rings = ringsOf(geometry)?.map((ring) => [...ring, ring[0]] as [number, number][]);
  return (position) => rings !== undefined && pointInPolygon(position, rings) !== false;
}

/** The same geometry with other corners. */
export function withRings(geometry: Polygon | MultiPolygon, rings: Rings): Polygon | MultiPolygon {
  const closed = rings.map((ring) => [...ring, ring[0]]);
  if (geometry.type === 'Polygon') return { type: 'Polygon', coordinates: closed };
  return {
    type: 'MultiPolygon',
    coordinates: geometry.coordinates.map(({ length }) => closed.splice(0, length)),
  };
}

export const moveCorner = (rings: Rings, at: CornerAt, position: Position): Rings =>
  changeRing(rings, at.ring, (ring) => ring.with(at.index, position));

/** Adds a corner in front of another; the index after the last adds it at the end. */
export const insertCorner = (rings: Rings, at: CornerAt, position: Position): Rings =>
  changeRing(rings, at.ring, (ring) => ring.toSpliced(at.index, 0, position));

/** Whether there is such a corner, and its ring has more than three. */
export const isRemovable = (rings: Rings | null, { ring, index }: CornerAt) =>
  (rings?.[ring]?.length ?? 0) > Math.max(3, index);

/** Removes a corner, if it can be. */
export const removeCorner = (rings: Rings, at: CornerAt): Rings =>
  isRemovable(rings, at) ? changeRing(rings, at.ring, (ring) => ring.toSpliced(at.index, 1)) : rings;

const changeRing = (rings: Rings, index: number, change: (ring: readonly Position[]) => Position[]) =>
  rings.with(index, change(rings[index]));

/** Decimals of degrees in the text: a tenth of a metre. */
const DECIMALS = 6;

/** A line for each corner, latitude first, and an empty line between rings. */
export const cornersText = (rings: Rings): string =>
  rings
    .map((ring) =>
      ring.map(([longitude, latitude]) => `${shortened(latitude)}, ${shortened(longitude)}`).join('\n'),
    )
    .join('\n\n');

const shortened = (degrees: number) => Number(degrees.toFixed(DECIMALS));

/** Reads what {@link cornersText} writes. @returns the corners, or a sentence about a line that is not a place */
export function readCorners(text: string): Rings | string {
  const rings: Position[][] = [[]];
  for (const [index, line] of text.trim().split('\n').entries()) {
    if (line.trim() === '') {
      if (rings.at(-1)!.length > 0) rings.push([]);
      continue;
    }
    const place = placeIn(line);
    if (place === null)
      return `Line ${index + 1} has no latitude and longitude in degrees, such as 44.12, -122.03.`;
    rings.at(-1)!.push([place.longitude, place.latitude]);
  }
  return rings.map((ring) => (ring.length > 1 && isSame(ring[0], ring.at(-1)!) ? ring.slice(0, -1) : ring));
}

const isSame = (a: Position, b: Position) => a[0] === b[0] && a[1] === b[1];

const isRing = (ring: unknown): ring is Position[] =>
  Array.isArray(ring) && ring.length > 0 && ring.every(isPosition);

function isPosition(position: unknown): boolean {
  if (!Array.isArray(position)) return false;
  const [longitude, latitude]: unknown[] = position;
  return (
    typeof longitude === 'number' &&
    typeof latitude === 'number' &&
    Math.abs(longitude) <= 180 &&
    Math.abs(latitude) <= 90
  );
}
