import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type DataType,
  Field,
  makeVector,
  Schema,
  Table,
  tableFromIPC,
  tableToIPC,
  type Vector,
} from 'apache-arrow';
import type { StoredIntegers } from '../../../src/prediction/artefacts/grid-file.js';
import { dataDir } from '../../../testing/project.js';

/** The changes of a copy of the grid. */
export interface GridChanges {
  /** New values of columns, under their names; undefined leaves a column out. */
  readonly columns?: Readonly<Record<string, Vector | undefined>>;
  /** New entries of columns' metadata, under their names. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** New entries of the schema's metadata; undefined leaves one out. */
  readonly metadata?: Readonly<Record<string, string | undefined>>;
}

const original = tableFromIPC(readFileSync(path.join(dataDir, 'grid.arrow')));

/** The values of a column of the project's grid, as a copy that may be changed. */
export function columnCopy<Values extends StoredIntegers | Uint32Array>(name: string): Values {
  return original.getChild(name)!.toArray().slice() as Values;
}

/** Writes the project's grid with changes to a file. */
export function writeGridCopy(
  file: string,
  { columns = {}, fields: entriesOf = {}, metadata = {} }: GridChanges,
): void {
  const vectors: Record<string, Vector> = {};
  const fields: Field<DataType>[] = [];
  for (const field of original.schema.fields) {
    const changed = field.name in columns;
    const vector = changed ? columns[field.name] : makeVector(columnCopy(field.name));
    if (vector === undefined) continue;
    vectors[field.name] = vector;
    const own = new Map([...field.metadata, ...Object.entries(entriesOf[field.name] ?? {})]);
    fields.push(new Field(field.name, vector.type, vector.nullable, own));
  }
  const entries = { ...Object.fromEntries(original.schema.metadata), ...metadata };
  const kept = Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const table = new Table(new Schema(fields, new Map(kept)), vectors);
  writeFileSync(file, tableToIPC(table, 'file'));
}

/** Writes the project's grid with every nth of its points. */
export function writeGridSample(file: string, n: number): void {
  const columns = original.schema.fields.map(({ name }) => {
    const values = columnCopy(name).filter((_, point) => point % n === 0);
    return [name, makeVector(values)] as const;
  });
  writeGridCopy(file, { columns: Object.fromEntries(columns) });
}

/** Writes a grid with the columns of the project's and no points. */
export function writeEmptyGrid(file: string): void {
  writeFileSync(file, tableToIPC(new Table(original.schema), 'file'));
}
