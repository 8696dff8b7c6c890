import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchFileWriter,
  Struct,
  Table,
  tableFromIPC,
} from 'apache-arrow';
import { DATA_FILES } from '../src/prediction/artefacts/artefacts.js';
import { listFiles } from '../testing/project-copy.js';

/** Steps of the generated lattice for each step of the real one; odd, so that real points stay in place. */
const FINER = 15;
/** Steps of the generated lattice between copies of a point. All lie in the cell of the real one, so none coincide. */
const COPY_STEPS = 2;

/**
 * Writes a data folder with a grid of `pointCount` points: some of the real ones, or copies with the same values that
 * are moved a little, at most seven of each point. @returns the path of the data folder
 */
export function generateGrid(dataDir: string, folder: string, pointCount: number): string {
  const target = path.join(folder, `grid-${pointCount}`);
  mkdirSync(target);
  for (const file of [DATA_FILES.regions, DATA_FILES.species]) {
    copyFileSync(path.join(dataDir, file), path.join(target, file));
  }
  const real = tableFromIPC(readFileSync(path.join(dataDir, DATA_FILES.grid)));
  const stride = Math.max(1, real.numRows / pointCount);
  /** The real point that a point is made from. */
  const realOf = (point: number) => Math.floor(point * stride) % real.numRows;
  const valuesOf = (name: string) => real.getChild(name)!.toArray() as Uint16Array;
  const placesOf = (name: string) => {
    const values = valuesOf(name);
    return Uint16Array.from({ length: pointCount }, (_, i) => {
      const copy = Math.floor((i * stride) / real.numRows);
      return values[realOf(i)] * FINER + (((FINER - 1) / 2 + copy * COPY_STEPS) % FINER);
    });
  };
  const places: Record<string, Uint16Array> = { row: placesOf('row'), column: placesOf('column') };
  // A grid is in the order of rows, then columns. The numbers that are sorted are integers below 2^53.
  const order = Float64Array.from(
    places.row,
    (row, i) => (row * 2 ** 16 + places.column[i]) * pointCount + i,
  ).sort();
  const columns = Object.fromEntries(
    real.schema.fields.map(({ name }) => {
      const [moved, values] = [places[name], valuesOf(name)];
      const ordered = new (values.constructor as new (length: number) => typeof values)(pointCount);
      for (let i = 0; i < pointCount; i++) {
        const point = order[i] % pointCount;
        ordered[i] = moved?.[point] ?? values[realOf(point)];
      }
      return [name, ordered];
    }),
  );
  const lattice = JSON.parse(real.schema.metadata.get('lattice')!) as { steps_per_degree: number };
  lattice.steps_per_degree *= FINER;
  real.schema.metadata.set('lattice', JSON.stringify(lattice));
  const children = Object.values(columns).map((values) => makeVector(values).data[0]);
  const data = makeData({ type: new Struct(real.schema.fields), length: pointCount, children });
  const table = new Table(real.schema, [new RecordBatch(real.schema, data)]);
  writeFileSync(path.join(target, DATA_FILES.grid), RecordBatchFileWriter.writeAll(table).toUint8Array(true));
  listFiles(target);
  return target;
}
