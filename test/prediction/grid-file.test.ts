import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Float64, makeVector, Utf8, vectorFromArray } from 'apache-arrow';
import { afterAll, expect, test } from 'vitest';
import { readArtefactFile } from '../../src/prediction/artefacts/artefact-file.js';
import { parseGrid } from '../../src/prediction/artefacts/grid-file.js';
import { dataDir } from '../../testing/project.js';
import { expectRefusal } from './support/artefact-refusal.js';
import { columnCopy, type GridChanges, writeEmptyGrid, writeGridCopy } from './support/grid-copy.js';

const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-grid-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'grid.arrow');
const parseGridOf = (path: string) => parseGrid(readArtefactFile(path));
const projectGrid = readFileSync(path.join(dataDir, 'grid.arrow'));

/** A column with one value changed. */
function changed<Values extends Float32Array | Float64Array | Uint8Array>(
  name: string,
  row: number,
  value: number,
) {
  const values = columnCopy<Values>(name);
  values[row] = value;
  return makeVector(values);
}

const withNull = () => {
  const values: (number | null)[] = [...columnCopy<Float64Array>('latitude')];
  values[12] = null;
  return vectorFromArray(values, new Float64());
};

const REFUSALS: readonly (readonly [what: string, changes: GridChanges, problem: string | RegExp])[] = [
  ['of another format', { metadata: { format: 'nurselog-grid/2' } }, /metadata format/],
  ['of no format', { metadata: { format: undefined } }, /metadata format/],
  ['without a version', { metadata: { version: undefined } }, /metadata version/],
  ['with an empty coverage', { metadata: { coverage: '' } }, /metadata coverage/],
  ['without regions', { metadata: { regions: undefined } }, /metadata regions/],
  ['with regions that are not JSON', { metadata: { regions: 'US-OR, US-WA' } }, /metadata regions/],
  ['with regions that are not a list', { metadata: { regions: '{"US-OR":0}' } }, /metadata regions/],
  ['with an empty list of regions', { metadata: { regions: '[]' } }, /metadata regions/],
  ['without latitudes', { columns: { latitude: undefined } }, 'column latitude is missing'],
  ['without longitudes', { columns: { longitude: undefined } }, 'column longitude is missing'],
  ['without the points’ regions', { columns: { region: undefined } }, 'column region is missing'],
  [
    'whose latitudes are float32',
    { columns: { latitude: makeVector(Float32Array.from(columnCopy('latitude'))) } },
    'column latitude is not Float64Array',
  ],
  [
    'whose variable is float64',
    { columns: { elevation: makeVector(Float64Array.from(columnCopy('elevation'))) } },
    'column elevation is not Float32Array',
  ],
  [
    'whose regions are text',
    { columns: { region: vectorFromArray([...columnCopy('region')].map(String), new Utf8()) } },
    'column region is not Uint8Array',
  ],
  ['with a null', { columns: { latitude: withNull() } }, 'column latitude is not Float64Array without nulls'],
  [
    'with a latitude that is NaN',
    { columns: { latitude: changed('latitude', 7, Number.NaN) } },
    'column latitude, row 7 is NaN',
  ],
  [
    'with an infinite longitude',
    { columns: { longitude: changed('longitude', 0, Number.NEGATIVE_INFINITY) } },
    'column longitude, row 0 is -Infinity',
  ],
  [
    'with a variable that is NaN',
    { columns: { elevation: changed('elevation', 100, Number.NaN) } },
    'column elevation, row 100 is NaN',
  ],
  [
    'with a point at a pole',
    { columns: { latitude: changed('latitude', 3, 89) } },
    /^row 3 lies at 89, .*: not in any coverage$/,
  ],
  [
    'with a point at the antimeridian',
    { columns: { longitude: changed('longitude', 4, 179) } },
    /^row 4 lies at/,
  ],
  [
    'with a point of a region that is not in its list',
    { columns: { region: changed('region', 9, 2) } },
    'column region, row 9 names no region',
  ],
];

test.each(REFUSALS)('a grid file %s is refused', async (_, changes, problem) => {
  writeGridCopy(file, changes);
  await expectRefusal(() => parseGridOf(file), file, problem);
});

test('a grid file without a point is refused', async () => {
  writeEmptyGrid(file);
  await expectRefusal(() => parseGridOf(file), file, 'holds no points');
});

test('a missing grid file is refused', async () => {
  const missing = path.join(folder, 'nowhere.arrow');
  await expectRefusal(() => parseGridOf(missing), missing, 'the file is missing');
});

test('a grid file that is a folder is refused', async () => {
  await expectRefusal(() => parseGridOf(folder), folder, 'cannot be read (EISDIR)');
});

test.each([
  ['empty', Buffer.alloc(0)],
  ['text', Buffer.from('latitude,longitude\n44,-122\n')],
  ['zeros', Buffer.alloc(4096)],
  ['JSON that Arrow can take for a table', Buffer.from('{"schema":{"fields":[]},"batches":[]}')],
])('a grid file that is %s is refused', async (_, bytes) => {
  writeFileSync(file, bytes);
  await expectRefusal(() => parseGridOf(file), file, /Arrow IPC|metadata/);
});

test('a grid file truncated at any length is refused', async () => {
  const lengths = [1, 6, 100, 5000, ...Array.from({ length: 40 }, (_, i) => (i * projectGrid.length) / 40)];
  for (const length of [...lengths, projectGrid.length - 1].map(Math.floor)) {
    writeFileSync(file, projectGrid);
    truncateSync(file, length);
    await expectRefusal(() => parseGridOf(file), file, '');
  }
});

test('a grid file is read with the columns and metadata that were written', () => {
  writeGridCopy(file, {});
  const grid = parseGridOf(file);
  expect(grid.regions).toEqual(['US-OR', 'US-WA']);
  expect(grid.coverage).toBe('pnw');
  expect(grid.latitude).toEqual(columnCopy('latitude'));
  expect(grid.longitude).toEqual(columnCopy('longitude'));
  expect(grid.region).toEqual(columnCopy('region'));
  expect(grid.variables.get('elevation')).toEqual({ unit: 'm', values: columnCopy('elevation') });
  expect(grid.pointCount).toBe(grid.latitude.length);
});
