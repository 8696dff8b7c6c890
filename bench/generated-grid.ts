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
  const columns = Object.fromEntries(
    real.schema.fields.map(({ name }) => {
      const values = real.getChild(name)!.toArray() as Uint16Array;
      const isPlace = name === 'row' || name === 'column';
      const repeated = new (values.constructor as new (length: number) => typeof values)(pointCount);
      for (let i = 0; i < pointCount; i++) {
        const value = values[i % values.length];
        const jitter = i < values.length ? 0 : Math.round((random() - 0.5) * 2 * MAX_JITTER);
        repeated[i] = isPlace ? value * FINER + (FINER - 1) / 2 + jitter : value;
      }
      return [name, repeated];
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
