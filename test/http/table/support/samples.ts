import type { PredictorData } from '../../../../src/prediction/predictor-data.js';
import { placeOf } from '../../../../testing/project.js';

/** A row of a table as its caller has it. */
export interface SampleRow {
  readonly plot: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly species_code: string;
  readonly planting_method: string;
  readonly elevation_m: number | null;
}

/** Rows that have answers and rows that have every kind of error. */
export function sampleRows(data: PredictorData, count: number, random: () => number): SampleRow[] {
  const { grid, species } = data;
  return Array.from({ length: count }, (_, row) => {
    const place = placeOf(grid, Math.floor(random() * grid.pointCount));
    const mistake = random() < 0.2 ? Math.floor(7 * random()) : -1;
    return {
      plot: `plot ${row}`,
      latitude: mistake === 0 ? 95 : mistake === 1 ? 34.5 : place.latitude + 0.01 * random(),
      longitude: mistake === 2 ? -199.5 : place.longitude + 0.01 * random(),
      species_code: mistake === 3 ? 'psme' : species[Math.floor(random() * species.length)].species_code,
      planting_method: mistake === 4 ? 'by hand' : random() < 0.5 ? 'manual' : 'drone_seeded',
      elevation_m: mistake === 5 ? 4399.5 : mistake === 6 ? 5000 : null,
    };
  });
}
