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

/** A box in degrees, its edges included; west is not east of east. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The bounding box of regions, degrees. */
export function boundsOf(...regions: readonly Region[]): Box {
  const bounds = { south: 90, west: 180, north: -90, east: -180 };
  for (const [longitude, latitude] of regions.flatMap(({ polygons }) => polygons.flat(2))) {
    bounds.south = Math.min(bounds.south, latitude);
    bounds.west = Math.min(bounds.west, longitude);
    bounds.north = Math.max(bounds.north, latitude);
    bounds.east = Math.max(bounds.east, longitude);
  }
  return bounds;
}
