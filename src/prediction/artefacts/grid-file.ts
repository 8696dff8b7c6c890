import { type Field, type Table, tableFromIPC } from 'apache-arrow';
import { z } from 'zod';
import { ArtefactError, type ArtefactFile, firstProblem } from './artefact-file.js';
import type { GridPoints } from './point-index.js';

/** With more, rounding coordinates to 5 decimals would change the distance of two nodes too much. */
const MAX_STEPS_PER_DEGREE = 10_000;

/** A lattice lies within these, in degrees: no coverage is near a pole or the antimeridian. */
const MAX_LATTICE_LATITUDE = 80;
const MAX_LATTICE_LONGITUDE = 170;

/** The content of a grid file: one entry per grid point in every column. */
export interface GridFile extends GridPoints {
  readonly version: string;
  readonly coverage: string;
  /** ISO 3166-2 codes. */
  readonly regions: readonly string[];
  readonly pointCount: number;
  /** Uint8 [pointCount], index into `regions`. */
  readonly region: Uint8Array;
  /** Uint32 [pointCount]: bit i is set in the native range of species i. */
  readonly nativeRanges: Uint32Array;
  /** Every variable by name, in the unit its metadata states. */
  readonly variables: ReadonlyMap<string, GridVariable>;
}

export type StoredIntegers = Uint8Array | Int8Array | Uint16Array | Int16Array;

const metadataSchema = z.object({
  format: z.literal('nurselog-grid/2'),
  version: z.string().min(1),
  coverage: z.string().min(1),
  regions: z.preprocess(jsonOrText, z.array(z.string()).min(1)),
  lattice: z.preprocess(
    jsonOrText,
    z.object({
      south: z.number(),
      west: z.number(),
      steps_per_degree: z.number().min(1).max(MAX_STEPS_PER_DEGREE),
    }),
  ),
});

const finiteNumber = z.string().min(1).transform(Number).pipe(z.number());

const variableSchema = z
  .object({
    unit: z.string().min(1),
    scale: finiteNumber.refine((scale) => scale > 0, { error: 'must be above 0' }),
    offset: finiteNumber,
    minimum: finiteNumber,
    maximum: finiteNumber,
  })
  .refine(({ minimum, maximum }) => minimum < maximum, { error: 'minimum is not below maximum' });

/** A variable as it is stored: the value of a point is `offset` + `scale` * its integer, from `minimum` to `maximum`. */
export type GridVariable = z.output<typeof variableSchema> & { readonly integers: StoredIntegers };

/** The value of a JSON text, or the text itself, which the schema then rejects. */
function jsonOrText(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}

/** Columns that are not variables: their integers are not quantities. */
const OTHER_COLUMNS = ['row', 'column', 'region', 'native_ranges'];
const INTEGER_ARRAYS = [Uint8Array, Int8Array, Uint16Array, Int16Array] as const;

/** Parses the grid, an Arrow IPC file. @throws ArtefactError where it is corrupt, lacks a column or has a value out of bounds */
export function parseGrid({ path: file, bytes }: ArtefactFile): GridFile {
  let table: Table;
  try {
    table = tableFromIPC(bytes);
  } catch {
    throw new ArtefactError(file, 'is not a readable Arrow IPC file (damaged or cut off?)');
  }
  const metadata = metadataSchema.safeParse(Object.fromEntries(table.schema.metadata));
  if (!metadata.success) throw new ArtefactError(file, `metadata ${firstProblem(metadata.error)}`);
  const { version, coverage, regions, lattice } = metadata.data;

  const row = integersOf(file, table, 'row', [Uint16Array]);
  const column = integersOf(file, table, 'column', [Uint16Array]);
  const grid: GridFile = {
    version,
    coverage,
    regions,
    pointCount: table.numRows,
    stepsPerDegree: lattice.steps_per_degree,
    latitudes: coordinates(lattice.south, lattice.steps_per_degree, row),
    longitudes: coordinates(lattice.west, lattice.steps_per_degree, column),
    row,
    column,
    region: integersOf(file, table, 'region', [Uint8Array]),
    nativeRanges: integersOf(file, table, 'native_ranges', [Uint32Array]),
    variables: new Map(
      table.schema.fields
        .filter(({ name }) => !OTHER_COLUMNS.includes(name))
        .map((field) => [field.name, variableOf(file, table, field)]),
    ),
  };
  checkPoints(file, grid);
  return grid;
}

/** The coordinate of each row or column of the lattice up to the last with a point, in degrees. */
function coordinates(start: number, stepsPerDegree: number, used: Uint16Array): Float64Array {
  const count = 1 + used.reduce((last, step) => Math.max(last, step), -1);
  // Five decimals, as answers report them and as the pipeline computes them.
  return Float64Array.from(
    { length: count },
    (_, step) => Math.floor((start + (step + 0.5) / stepsPerDegree) * 1e5 + 0.5) / 1e5,
  );
}

function integersOf<T extends StoredIntegers | Uint32Array>(
  file: string,
  table: Table,
  name: string,
  types: readonly { new (length: number): T; readonly name: string }[],
): T {
  const vector = table.getChild(name);
  if (vector === null) throw new ArtefactError(file, `column ${name} is missing`);
  const values: unknown = vector.nullCount === 0 ? vector.toArray() : undefined;
  for (const type of types) if (values instanceof type) return values;
  const wanted = types.map((type) => type.name).join(' or ');
  throw new ArtefactError(file, `column ${name} is not ${wanted} without nulls`);
}

function variableOf(file: string, table: Table, { name, metadata }: Field): GridVariable {
  const integers = integersOf<StoredIntegers>(file, table, name, INTEGER_ARRAYS);
  const parsed = variableSchema.safeParse(Object.fromEntries(metadata));
  if (!parsed.success) throw new ArtefactError(file, `column ${name}: ${firstProblem(parsed.error)}`);
  const variable = { ...parsed.data, integers };
  const { scale, offset, minimum, maximum } = variable;
  const row = pointOutside(variable, minimum, maximum);
  if (row === -1) return variable;
  const value = offset + scale * integers[row];
  throw new ArtefactError(file, `column ${name}, row ${row} is ${value}, not from ${minimum} to ${maximum}`);
}

/** The first point whose value lies outside bounds; -1 if there is none. */
export function pointOutside(
  { integers, scale, offset }: GridVariable,
  minimum: number,
  maximum: number,
): number {
  // Half a step of tolerance, for the rounding of scale * integer.
  const lowest = (minimum - offset) / scale - 0.5;
  const highest = (maximum - offset) / scale + 0.5;
  const { length } = integers; // `findIndex` takes four times as long
  for (let point = 0; point < length; point++) {
    const integer = integers[point];
    if (integer < lowest || integer > highest) return point;
  }
  return -1;
}

function checkPoints(file: string, grid: GridFile): void {
  const { row, column, latitudes, longitudes } = grid;
  if (grid.pointCount === 0) throw new ArtefactError(file, 'holds no points');
  const unordered = row.findIndex(
    (r, point) => r < row[point - 1] || (r === row[point - 1] && column[point] <= column[point - 1]),
  );
  if (unordered !== -1) {
    const rule = "is not in the order of the lattice's rows, then columns, each point once";
    throw new ArtefactError(file, `row ${unordered} ${rule}`);
  }
  const isFar = (degrees: Float64Array, max: number) =>
    Math.max(-degrees[0], degrees[degrees.length - 1]) > max;
  if (isFar(latitudes, MAX_LATTICE_LATITUDE) || isFar(longitudes, MAX_LATTICE_LONGITUDE)) {
    const limits = `latitudes of ${MAX_LATTICE_LATITUDE} and longitudes of ${MAX_LATTICE_LONGITUDE} degrees`;
    throw new ArtefactError(file, `its lattice reaches beyond ${limits}: not in any coverage`);
  }
  const stray = grid.region.findIndex((region) => region >= grid.regions.length);
  if (stray !== -1) throw new ArtefactError(file, `column region, row ${stray} names no region`);
}
