import { z } from 'zod';
import { bandNames } from '../../formats/surface/surface.js';
import * as field from './fields.js';

const survivals = field.of(z.array(z.number().min(0).max(1)), [0.8263, 0.829]);
const survivalColumns = z.strictObject({ 1: survivals, 3: survivals, 5: survivals });

const surfaceShape = {
  species_code: field.speciesCode,
  species_common_name: field.speciesCommonName,
  horizons: z.array(field.horizonYears),
  points: field.count(2, 'Number of points.'),
  spacing_km: field.of(z.number().positive(), 0.927, 'Distance between rows of points, north to south.'),
};

export const surfaceResponses = {
  'application/json': field.component('Surface', {
    ...surfaceShape,
    longitude: field.of(z.array(z.number()), [-122.09997, -122.09164], 'Degrees east.'),
    latitude: field.of(z.array(z.number()), [44.10003, 44.10003], 'Degrees north.'),
    elevation_m: field.of(z.array(z.number()), [1101, 1159]),
    region: field.of(z.array(z.string()), ['US-OR', 'US-OR'], 'ISO 3166-2 codes.'),
    in_native_range: field.of(
      z.array(z.boolean()),
      [true, true],
      'Whether the point is in the native range of the species.',
    ),
    survival: z.strictObject({ manual: survivalColumns, drone_seeded: survivalColumns }),
    model: field.modelSchema,
  }),
  'application/geo+json': field.component('SurfaceFeatures', {
    type: z.literal('FeatureCollection'),
    ...surfaceShape,
    model: field.modelSchema,
    features: z.array(
      field.component('SurfaceFeature', {
        type: z.literal('Feature'),
        geometry: z.strictObject({
          type: z.literal('Point'),
          coordinates: field.of(
            z.array(z.number()).length(2),
            [-122.09997, 44.10003],
            'Degrees east, degrees north.',
          ),
        }),
        properties: z.strictObject({
          elevation_m: field.number(1101),
          region: field.text('US-OR', 'ISO 3166-2 code.'),
          in_native_range: field.flag(true),
          ...Object.fromEntries(bandNames(false).map((band) => [`survival_${band}`, field.share(0.8263)])),
        }),
      }),
    ),
  }),
  'text/csv': z.string().meta({
    id: 'SurfaceCsv',
    description:
      'A header line and one line per point: longitude, latitude and the properties of a SurfaceFeature.',
  }),
  'application/vnd.apache.arrow.stream': z.string().meta({
    id: 'SurfaceArrow',
    format: 'binary',
    description: 'The columns of the CSV. The metadata of the schema has the other fields of the JSON.',
  }),
  'image/tiff': z.string().meta({
    id: 'SurfaceTiff',
    format: 'binary',
    description:
      'A cloud-optimized GeoTIFF in EPSG:4326. A pixel is a cell of the grid: float32, NaN where there is ' +
      'no point. Bands: `manual_1`, `manual_3`, `manual_5`, `drone_seeded_1`, `drone_seeded_3`, ' +
      '`drone_seeded_5`; with `include=intervals`, also `low_` and `high_` of each. Metadata: species, ' +
      'model, outcomes, caution, climate, practice. A pixel of an overview is the mean of the points in it.',
  }),
};
