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
import { seededRandom } from '../testing/random.js';

/** The lattice of a generated grid has so many steps for each of the real one; odd, so that real points stay in place. */
const FINER = 15;
/** Steps of the finer lattice by which a generated point lies beside the real one it is made from, at most: 0.03 degrees. */
const MAX_JITTER = 54;

/**
 * Writes a data folder with a grid of `pointCount` points: copies of the real ones with the same values, each copy moved
 * a little.
 */
export function generateGrid(dataDir: string, folder: string, pointCount: number): string {
  const target = path.join(folder, `grid-${pointCount}`);
  mkdirSync(target);
  for (const file of [DATA_FILES.regions, DATA_FILES.species]) {
    copyFileSync(path.join(dataDir, file), path.join(target, file));
  }
  const real = tableFromIPC(readFileSync(path.join(dataDir, DATA_FILES.grid)));
  const random = seededRandom(pointCount);
  const valuesOf = (name: string) => real.getChild(name)!.toArray() as Uint16Array;
  const moved = (name: string) => {
    const values = valuesOf(name);
    return Uint16Array.from({ length: pointCount }, (_, i) => {
      const jitter = i < values.length ? 0 : Math.round((random() - 0.5) * 2 * MAX_JITTER);
      return values[i % values.length] * FINER + (FINER - 1) / 2 + jitter;
    });
  };
  const places: Record<string, Uint16Array> = { row: moved('row'), column: moved('column') };
  // A grid is in the order of rows, then columns. The numbers that are sorted are integers below 2^53.
  const order = Float64Array.from(
    places.row,
    (row, i) => (row * 2 ** 16 + places.column[i]) * pointCount + i,
  ).sort();
  const columns = Object.fromEntries(
    real.schema.fields.map(({ name }) => {
      const values = places[name] ?? valuesOf(name);
      const ordered = new (values.constructor as new (length: number) => typeof values)(pointCount);
      for (let i = 0; i < pointCount; i++) ordered[i] = values[(order[i] % pointCount) % values.length];
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
