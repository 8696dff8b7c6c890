import { z } from 'zod';

const position = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]);
const ring = z
  .array(position)
  .min(4)
  .refine((positions) => String(positions[0]) === String(positions.at(-1)), {
    error: 'must end with its first position',
  });
const polygon = z.array(ring).min(1);

/** The regions of the coverage, a GeoJSON file. */
export const regionsSchema = z
  .object({
    type: z.literal('FeatureCollection'),
    features: z
      .array(
        z.object({
          properties: z.object({ region: z.string(), name: z.string() }),
          geometry: z.object({ type: z.literal('MultiPolygon'), coordinates: z.array(polygon).min(1) }),
        }),
      )
      .min(1),
  })
  .transform(({ features }) =>
    features.map(({ properties, geometry }) => ({ ...properties, polygons: geometry.coordinates })),
  );

/** A region of the coverage: its ISO 3166-2 code, its name and its outline in degrees, [longitude, latitude]. */
export type Region = z.output<typeof regionsSchema>[number];

/** A box in degrees, its edges included; `west` is at most `east`. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export function boundsOf(...regions: readonly Region[]): Box {
  const coordinates = Float64Array.from(regions.flatMap(({ polygons }) => polygons.flat(3)));
  return boundsBetween(coordinates, 0, coordinates.length / 2);
}

/** The bounding box of the positions from `start` to before `end`: longitude and latitude of one after the other. */
export function boundsBetween(coordinates: Float64Array, start: number, end: number): Box {
  let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = start; at < end; at++) {
    const longitude = coordinates[2 * at];
    const latitude = coordinates[2 * at + 1];
    if (longitude < west) west = longitude;
    if (longitude > east) east = longitude;
    if (latitude < south) south = latitude;
    if (latitude > north) north = latitude;
  }
  return { south, west, north, east };
}
