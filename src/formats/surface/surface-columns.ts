import type { Surface } from '../../http/routes/surfaces/surface.js';
import { valueAt } from '../../prediction/artefacts/shared-grid.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';

/** A column of a surface. `value` gives that of the point at a position. */
export interface SurfaceColumn {
  readonly name: string;
  /**
   * `degrees`: five decimals. `number`: as the grid has it. `text`: `value` is an index into `texts`. `flag`: 0 or 1.
   * `probability`: `value` is in ten-thousandths.
   */
  readonly kind: 'degrees' | 'number' | 'text' | 'flag' | 'probability';
  readonly texts?: readonly string[];
  value(position: number): number;
}

/** The columns of a surface in their order: the list from which every format is written. */
export function surfaceColumns({ artefacts: { grid }, points, species, survival }: Surface): SurfaceColumn[] {
  const { longitudes, latitudes, row, column } = grid.index;
  const { elevation } = grid.columns;
  const probabilities = PLANTING_METHODS.flatMap((method, m) =>
    HORIZONS.map((years, h): SurfaceColumn => {
      const start = (m * HORIZONS.length + h) * points.length;
      return {
        name: `survival_${method}_${years}`,
        kind: 'probability',
        value: (position) => survival[start + position],
      };
    }),
  );
  return [
    { name: 'longitude', kind: 'degrees', value: (position) => longitudes[column[points[position]]] },
    { name: 'latitude', kind: 'degrees', value: (position) => latitudes[row[points[position]]] },
    { name: 'elevation_m', kind: 'number', value: (position) => valueAt(elevation, points[position]) },
    {
      name: 'region',
      kind: 'text',
      texts: grid.regions,
      value: (position) => grid.region[points[position]],
    },
    {
      name: 'in_native_range',
      kind: 'flag',
      value: (position) => (grid.nativeRanges[points[position]] >>> species) & 1,
    },
    ...probabilities,
  ];
}
