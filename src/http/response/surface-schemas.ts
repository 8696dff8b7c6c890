import { z } from 'zod';
import {
  about,
  component,
  horizonYears,
  modelSchema,
  probability,
  speciesCode,
  speciesCommonName,
} from './schema-parts.js';

const survival = probability.meta({ examples: [0.8263] });
const survivals = z.array(probability).meta({ examples: [[0.8263, 0.829]] });
const survivalColumns = z.strictObject({ 1: survivals, 3: survivals, 5: survivals });

const surfaceShape = {
  species_code: speciesCode,
  species_common_name: speciesCommonName,
  horizons: z.array(horizonYears),
  points: z.int().min(0).meta(about('How many points follow.', 2)),
  spacing_km: z.number().positive().meta(about('Between the rows of the points, north to south.', 0.927)),
};

/** The bodies of surfaces by their media type. */
export const surfaceResponses = {
  'application/json': component('Surface', {
    ...surfaceShape,
    longitude: z.array(z.number()).meta(about('Degrees east.', [-122.09997, -122.09164])),
    latitude: z.array(z.number()).meta(about('Degrees north.', [44.10003, 44.10003])),
    elevation_m: z.array(z.number()).meta({ examples: [[1101, 1159]] }),
    region: z.array(z.string()).meta(about('ISO 3166-2 codes.', ['US-OR', 'US-OR'])),
    in_native_range: z
      .array(z.boolean())
      .meta(about('Whether the points lie within the native range of the species.', [true, true])),
    survival: z.strictObject({ manual: survivalColumns, drone_seeded: survivalColumns }),
    model: modelSchema,
  }),
  'application/geo+json': component('SurfaceFeatures', {
    type: z.literal('FeatureCollection'),
    ...surfaceShape,
    model: modelSchema,
    features: z.array(
      component('SurfaceFeature', {
        type: z.literal('Feature'),
        geometry: z.strictObject({
          type: z.literal('Point'),
          coordinates: z
            .array(z.number())
            .length(2)
            .meta(about('Degrees east, degrees north.', [-122.09997, 44.10003])),
        }),
        properties: z.strictObject({
          elevation_m: z.number().meta({ examples: [1101] }),
          region: z.string().meta(about('ISO 3166-2 code.', 'US-OR')),
          in_native_range: z.boolean(),
          survival_manual_1: survival,
          survival_manual_3: survival,
          survival_manual_5: survival,
          survival_drone_seeded_1: survival,
          survival_drone_seeded_3: survival,
          survival_drone_seeded_5: survival,
        }),
      }),
    ),
  }),
  'text/csv': z.string().meta({
    id: 'SurfaceCsv',
    description:
      'A header line, and a line for each point: longitude, latitude and the properties of a SurfaceFeature.',
  }),
  'application/vnd.apache.arrow.stream': z.string().meta({
    id: 'SurfaceArrow',
    format: 'binary',
    description:
      'The columns of the CSV; what the JSON says beside its columns is in the metadata of the schema.',
  }),
};
