import { tableFromIPC, type Vector } from 'apache-arrow';
import { z } from 'zod';
import { ArtefactError } from './artefact-error.js';
import { type ArtefactFile, firstProblem } from './artefact-file.js';

/** The content of a grid file: one entry per grid point in every column. */
export interface GridFile {
  readonly version: string;
  readonly coverage: string;
  /** ISO 3166-2 codes; `region` indexes them. */
  readonly regions: readonly string[];
  readonly pointCount: number;
  /** Degrees north. */
  readonly latitude: Float64Array;
  /** Degrees east. */
  readonly longitude: Float64Array;
  readonly region: Uint8Array;
  /** Every other column, by name. */
  readonly variables: ReadonlyMap<string, GridVariable>;
}

export interface GridVariable {
  readonly unit: string;
  readonly values: Float32Array;
}

const metadataSchema = z.object({
  format: z.literal('nurselog-grid/1'),
  version: z.string().min(1),
  coverage: z.string().min(1),
  regions: z.string().transform(jsonOrText).pipe(z.array(z.string()).min(1)),
});

/** The value of a JSON text, or the text itself, which the schema then rejects. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const POINT_COLUMNS = ['latitude', 'longitude', 'region'];

/**
 * Parses the grid, an Arrow IPC file.
 * @throws ArtefactError naming the file where it is corrupt, lacks a column or has a value that is not finite
 */
export function parseGrid({ path: file, bytes }: ArtefactFile): GridFile {
  const table = decodeArrow(file, bytes);
  const metadata = metadataSchema.safeParse(Object.fromEntries(table.schema.metadata));
  if (!metadata.success) throw new ArtefactError(file, `metadata ${firstProblem(metadata.error)}`);

  const column = <T>(name: string, type: { new (values: ArrayLike<number>): T }): T =>
    columnOf(file, name, table.getChild(name), type);
  const grid: GridFile = {
    version: metadata.data.version,
    coverage: metadata.data.coverage,
    regions: metadata.data.regions,
    pointCount: table.numRows,
    latitude: column('latitude', Float64Array),
    longitude: column('longitude', Float64Array),
    region: column('region', Uint8Array),
    variables: new Map(
      table.schema.fields
        .filter(({ name }) => !POINT_COLUMNS.includes(name))
        .map(({ name, metadata: field }) => [
          name,
          { unit: field.get('unit') ?? '', values: column(name, Float32Array) },
        ]),
    ),
  };
  checkPoints(file, grid);
  return grid;
}

function decodeArrow(file: string, bytes: Buffer) {
  try {
    return tableFromIPC(bytes);
  } catch {
    throw new ArtefactError(file, 'is not a readable Arrow IPC file (damaged or cut off?)');
  }
}

function columnOf<T>(
  file: string,
  name: string,
  vector: Vector | null,
  type: { new (values: ArrayLike<number>): T },
): T {
  if (vector === null) throw new ArtefactError(file, `column ${name} is missing`);
  const values: unknown = vector.nullCount === 0 ? vector.toArray() : undefined;
  if (!(values instanceof type))
    throw new ArtefactError(file, `column ${name} is not ${type.name} without nulls`);
  return values;
}

function checkPoints(file: string, grid: GridFile): void {
  if (grid.pointCount === 0) throw new ArtefactError(file, 'holds no points');
  const numeric = { latitude: grid.latitude, longitude: grid.longitude };
  const variables = [...grid.variables].map(([name, { values }]) => [name, values] as const);
  for (const [name, values] of [...Object.entries(numeric), ...variables]) {
    const row = values.findIndex((value) => !Number.isFinite(value));
    if (row !== -1)
      throw new ArtefactError(file, `column ${name}, row ${row} is ${values[row]}, not a finite number`);
  }
  // No coverage is near a pole or the antimeridian: such a point is an error, and bounding boxes would not fit around it.
  const far = grid.latitude.findIndex(
    (latitude, row) => Math.abs(latitude) > 80 || Math.abs(grid.longitude[row]) > 170,
  );
  if (far !== -1) {
    throw new ArtefactError(
      file,
      `row ${far} lies at ${grid.latitude[far]}, ${grid.longitude[far]}: not in any coverage`,
    );
  }
  const stray = grid.region.findIndex((region) => region >= grid.regions.length);
  if (stray !== -1) throw new ArtefactError(file, `column region, row ${stray} names no region`);
}
