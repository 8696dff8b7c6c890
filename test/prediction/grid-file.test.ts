import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeVector, Uint16, vectorFromArray } from 'apache-arrow';
import { afterAll, expect, test } from 'vitest';
import { readArtefactFile } from '../../src/prediction/artefacts/artefact-file.js';
import { parseGrid, type StoredIntegers } from '../../src/prediction/artefacts/grid-file.js';
import { dataDir } from '../../testing/project.js';
import { expectRefusal } from './support/artefact-refusal.js';
import { columnCopy, type GridChanges, writeEmptyGrid, writeGridCopy } from './support/grid-copy.js';

const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-grid-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'grid.arrow');
const parseGridOf = (path: string) => parseGrid(readArtefactFile(path));
const columnCopyOfElevation = columnCopy<Int16Array>('elevation');
const projectGrid = readFileSync(path.join(dataDir, 'grid.arrow'));

/** A column with one value changed. */
function changed<Values extends StoredIntegers>(name: string, row: number, value: number) {
  const values = columnCopy<Values>(name);
  values[row] = value;
  return makeVector(values);
}

const withNull = () => {
  const values: (number | null)[] = [...columnCopy<Uint16Array>('row')];
  values[12] = null;
  return vectorFromArray(values, new Uint16());
};

/** Changes of the lattice, which is JSON in the metadata. */
const lattice = (changes: object): GridChanges => ({
  metadata: {
    lattice: JSON.stringify({ south: 41.90003, west: -124.99997, steps_per_degree: 120, ...changes }),
  },
});
const elevation = (metadata: Record<string, string>): GridChanges => ({ fields: { elevation: metadata } });
const columns = (changed: NonNullable<GridChanges['columns']>): GridChanges => ({ columns: changed });

const REFUSALS: readonly (readonly [what: string, changes: GridChanges, problem: string | RegExp])[] = [
  ['of another format', { metadata: { format: 'nurselog-grid/1' } }, /metadata format/],
  ['without a version', { metadata: { version: undefined } }, /metadata version/],
  ['with an empty coverage', { metadata: { coverage: '' } }, /metadata coverage/],
  ['without regions', { metadata: { regions: undefined } }, /metadata regions/],
  ['with regions that are not JSON', { metadata: { regions: 'US-OR, US-WA' } }, /metadata regions/],
  ['with regions that are not a list', { metadata: { regions: '{"US-OR":0}' } }, /metadata regions/],
  ['with an empty list of regions', { metadata: { regions: '[]' } }, /metadata regions/],
  ['without a lattice', { metadata: { lattice: undefined } }, /metadata lattice/],
  ['with a lattice that is not JSON', { metadata: { lattice: '120' } }, /metadata lattice/],
  ['with a lattice without steps', lattice({ steps_per_degree: 0 }), /metadata lattice/],
  [
    'with a lattice finer than coordinates of 5 decimals can be',
    lattice({ steps_per_degree: 50_000 }),
    /metadata lattice/,
  ],
  ['with a lattice without an origin', lattice({ south: null }), /metadata lattice/],
  ['without rows', columns({ row: undefined }), 'column row is missing'],
  ['without columns of the lattice', columns({ column: undefined }), 'column column is missing'],
  ['without the points’ regions', columns({ region: undefined }), 'column region is missing'],
  [
    'whose variable is float64',
    columns({ elevation: makeVector(Float64Array.from(columnCopy('elevation'))) }),
    'column elevation is not Uint8Array or Int8Array or Uint16Array or Int16Array',
  ],
  ['with a null', { columns: { row: withNull() } }, 'column row is not Uint16Array without nulls'],
  ['whose variable has no unit', elevation({ unit: '' }), /^column elevation: unit: /],
  ['whose variable has no scale', elevation({ scale: '' }), /^column elevation: scale: /],
  ['whose scale is 0', elevation({ scale: '0' }), 'column elevation: scale: must be above 0'],
  ['whose offset is no number', elevation({ offset: 'ten' }), /^column elevation: offset: /],
  [
    'whose bounds are exchanged',
    elevation({ minimum: '4400', maximum: '-100' }),
    'column elevation: minimum is not below maximum',
  ],
  [
    'with a value above its bounds',
    columns({ elevation: changed<Int16Array>('elevation', 100, 5000) }),
    'column elevation, row 100 is 5000, not from -100 to 4400',
  ],
  [
    'with a scale that takes its values beyond their bounds',
    elevation({ scale: '3.28084' }),
    /^column elevation, row \d+ is [\d.]+, not from -100 to 4400$/,
  ],
  ['with a lattice of cells above a degree', lattice({ steps_per_degree: 0.9 }), /metadata lattice/],
  ['at a pole', lattice({ south: 82 }), /^its lattice reaches beyond .*: not in any coverage$/],
  ['at the antimeridian', lattice({ west: 171 }), /^its lattice reaches beyond/],
  [
    'whose rows are not in order',
    columns({ row: changed<Uint16Array>('row', 1000, 0) }),
    "row 1000 is not in the order of the lattice's rows, then columns, each point once",
  ],
  [
    'whose columns are not in order within a row',
    columns({ column: changed<Uint16Array>('column', 1, 0) }),
    "row 1 is not in the order of the lattice's rows, then columns, each point once",
  ],
  [
    'with a point twice',
    columns({ column: changed<Uint16Array>('column', 1, columnCopy<Uint16Array>('column')[0]!) }),
    "row 1 is not in the order of the lattice's rows, then columns, each point once",
  ],
  [
    'with a point of a region that is not in its list',
    columns({ region: changed<Uint8Array>('region', 9, 2) }),
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

test('a missing grid file and one that is a folder are refused', async () => {
  const missing = path.join(folder, 'nowhere.arrow');
  await expectRefusal(() => parseGridOf(missing), missing, 'the file is missing');
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
  const [rows, columns] = [columnCopy<Uint16Array>('row'), columnCopy<Uint16Array>('column')];
  for (const point of [0, 1000, rows.length - 1]) {
    expect(grid.latitudes[grid.row[point]!]).toBeCloseTo(41.89586 + (rows[point]! + 0.5) / 120, 5);
    expect(grid.longitudes[grid.column[point]!]).toBeCloseTo(-125.00414 + (columns[point]! + 0.5) / 120, 5);
  }
  expect(Buffer.compare(grid.region, columnCopy<Uint8Array>('region'))).toBe(0);
  const variable = grid.variables.get('elevation');
  expect(variable).toMatchObject({ unit: 'm', scale: 1, offset: 0, minimum: -100, maximum: 4400 });
  expect(variable?.integers.findIndex((metres, i) => metres !== columnCopyOfElevation[i])).toBe(-1);
  expect(grid.pointCount).toBe(rows.length);
});
