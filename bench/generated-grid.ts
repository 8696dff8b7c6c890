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

/** The largest distance in degrees of a generated point from the real one that it copies. */
const JITTER_DEGREES = 0.03;

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
      const values = real.getChild(name)!.toArray() as Float64Array | Float32Array | Uint8Array;
      const isPlace = name === 'latitude' || name === 'longitude';
      const repeated = new (values.constructor as new (length: number) => typeof values)(pointCount);
      for (let i = 0; i < pointCount; i++) {
        const value = values[i % values.length];
        repeated[i] = isPlace && i >= values.length ? value + (random() - 0.5) * 2 * JITTER_DEGREES : value;
      }
      return [name, repeated];
    }),
  );
  const children = Object.values(columns).map((values) => makeVector(values).data[0]);
  const data = makeData({ type: new Struct(real.schema.fields), length: pointCount, children });
  const table = new Table(real.schema, [new RecordBatch(real.schema, data)]);
  writeFileSync(path.join(target, DATA_FILES.grid), RecordBatchFileWriter.writeAll(table).toUint8Array(true));
  listFiles(target);
  return target;
}
