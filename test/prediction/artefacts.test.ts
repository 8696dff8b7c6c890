import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sha256Of } from '../../src/prediction/artefacts/artefact-file.js';
import { DATA_FILES, readArtefacts } from '../../src/prediction/artefacts/artefacts.js';
import { MANIFEST_FILE, type Manifest } from '../../src/prediction/artefacts/manifest.js';
import { PLANTING_METHODS } from '../../src/prediction/dimensions.js';
import { ProjectCopy, withProjectCopy } from '../../testing/project-copy.js';
import { expectRefusal } from './support/artefact-refusal.js';
import { type GridChanges, writeGridCopy, writeGridSample } from './support/grid-copy.js';

/** The project's artefacts with every 500th point of the grid: quick to copy and to read. */
const small = new ProjectCopy();
writeGridSample(path.join(small.dataDir, DATA_FILES.grid), 500);
small.listDataFiles();
afterAll(() => small.remove());

/** Damages a file of a copy and expects it to be named with the problem. */
function expectRefusedAfter(damage: (copy: ProjectCopy) => string, problem: string | RegExp): Promise<void> {
  return withProjectCopy(async (copy) => {
    const file = damage(copy);
    copy.listDataFiles();
    await expectRefusal(() => readArtefacts(copy.dataDir, copy.modelDir), file, problem);
  }, small);
}

type Editable<Value> = { -readonly [Key in keyof Value]: Editable<Value[Key]> };
type EditableManifest = Editable<Manifest>;

/** A feature by its name. */
function featureOf({ features }: EditableManifest, name: string) {
  return features.find((feature) => feature.name === name)!;
}

/** An edit of a JSON file: a function, or new values by their paths. */
type Edit<Content> = ((content: Content) => unknown) | Readonly<Record<string, unknown>>;

/** Edits a JSON file of a copy and expects it to be named with the problem. @param name in the copy's folder */
function expectRefusedEdit<Content>(name: string, edit: Edit<Content>, problem: string | RegExp) {
  return expectRefusedAfter((copy) => {
    const file = path.join(copy.folder, name);
    copy.editJson(file, (content: Content) => {
      if (typeof edit === 'function') edit(content);
      else
        for (const [place, value] of Object.entries(edit)) setAt(content as object, place.split('.'), value);
    });
    return file;
  }, problem);
}

function setAt(content: object, place: readonly string[], value: unknown): void {
  const parent = place.slice(0, -1).reduce((at, name) => Reflect.get(at, name) as object, content);
  Object.assign(parent, { [place[place.length - 1]]: value });
}

const INTERVALS = 'interval_level: must be a number if all methods have intervals, and null if none has';

const MANIFEST_REFUSALS: readonly (readonly [string, Edit<EditableManifest>, problem: string | RegExp])[] = [
  ['has another format', { format: 'nurselog-model/1' }, /^format: /],
  ['has no version', { version: undefined }, /^version: /],
  [
    'has a version of another coverage',
    (m) => Object.assign(m, { version: m.version.replace('pnw', 'ne') }),
    /^version: .* is not pnw_v<major>_<minor>_/,
  ],
  ['has a version of another codename', { codename: 'heather' }, /^version: .*_heather$/],
  ['has no version numbers', (m) => Object.assign(m, { version: `pnw_v_${m.codename}` }), /^version: /],
  [
    'has a word for version numbers',
    (m) => Object.assign(m, { version: `pnw_vundefined_${m.codename}` }),
    /^version: /,
  ],
  ['has no codename', { codename: '' }, /^codename: /],
  ['has no series', { series: 7 }, /^series: /],
  [
    'is of another coverage than the grid',
    (m) => Object.assign(m, { coverage: 'ne', version: `ne_v1_0_${m.codename}` }),
    "coverage is ne, but the grid's is pnw",
  ],
  ['has other horizons', { horizons: [1, 3, 10] }, 'horizons: must be 1, 3, 5'],
  ['has no species', { species: [] }, /^species: /],
  ['has the species in another order', (m) => m.species.reverse(), 'species are not those of species.json'],
  ['has no features', { features: [] }, /^features: /],
  [
    'has more features than answers have codes for',
    (m) => Object.assign(m, { features: Array(32_769).fill(m.features[0]) }),
    /^features: .*<=32768/,
  ],
  [
    'has an unknown feature',
    { 'features.2.name': 'moon_phase' },
    'feature moon_phase is not a column of the grid',
  ],
  [
    'has a feature in another unit than the grid',
    (m) => Object.assign(m.features.find(({ name }) => name === 'elevation')!, { unit: 'ft' }),
    "feature elevation is in ft, but the grid's column is in m",
  ],
  [
    'has a feature with narrower bounds than the points of the grid',
    (m) => Object.assign(m.features.find(({ name }) => name === 'elevation')!, { maximum: 2000 }),
    /feature elevation is from -10 to 2000, but the grid has a point with 2\d{3}$/,
  ],
  [
    'has a feature twice',
    (m) => Object.assign(m.features[1], { name: m.features[0].name }),
    /^features: name ".*" appears twice$/,
  ],
  [
    'gives one label to two factors',
    (m) => Object.assign(m.features[3], { label: m.features[0].label }),
    /^features: label ".*" appears twice$/,
  ],
  ['has a feature without a label', { 'features.0.label': '' }, /^features\.0\.label: /],
  [
    'has a risk_factor that is no boolean',
    { 'features.0.risk_factor': 'yes' },
    /^features\.0\.risk_factor: /,
  ],
  [
    'allows only two risk factors',
    (m) => m.features.map((feature, i) => Object.assign(feature, { risk_factor: i < 2 })),
    'features: fewer than 3 features may be risk factors',
  ],
  ['lacks a method', { 'methods.drone_seeded': undefined }, /^methods/],
  ['has an unknown method', (m) => Object.assign(m.methods, { catapult: m.methods.manual }), /^methods/],
  ['has a malformed SHA-256', { 'methods.manual.sha256': 'abc' }, /^methods\.manual\.sha256: /],
  ['has outcomes of no known origin', { outcomes: 'guessed' }, /^outcomes: /],
  ['has no caution', { caution: '' }, /^caution: /],
  ['does not say what alive means', { 'alive.drone_seeded': undefined }, /^alive\.drone_seeded: /],
  ['has a feature without bounds', { 'features.4.minimum': undefined }, /^features\.4\.minimum: /],
  [
    'has a feature whose bounds are exchanged',
    { 'features.4.minimum': 15, 'features.4.maximum': -35 },
    'features.4: minimum is not below maximum',
  ],
  ['lacks the percentiles of a feature', { 'features.4.training': undefined }, /^features\.4\.training: /],
  [
    'has a feature whose percentiles are exchanged',
    { 'features.4.training.p1': 2, 'features.4.training.p99': 1 },
    'features.4.training: p1 is above p99',
  ],
  ['has a feature with a negative error', { 'features.4.error.per_km': -1 }, /^features\.4\.error\.per_km: /],
  [
    'lacks the averages of a species',
    (m) => m.methods.manual.averages.pop(),
    'methods.manual.averages: must be 31 rows (species) of 14 numbers (features)',
  ],
  [
    'lacks the average of a feature',
    (m) => m.methods.drone_seeded.averages[30].pop(),
    'methods.drone_seeded.averages: must be 31 rows (species) of 14 numbers (features)',
  ],
  [
    'has an average that is no number',
    { 'methods.manual.averages.7.3': null },
    /^methods\.manual\.averages\.7\.3/,
  ],
  [
    'has an average beyond the bounds of its feature',
    { 'methods.manual.averages.7.0': 1e308 },
    'methods.manual.averages: 1e+308 of elevation is not from -10 to 4400',
  ],
  ['has an interval graph for one method only', { 'methods.drone_seeded.intervals': undefined }, INTERVALS],
  [
    'has a level of intervals without interval graphs',
    (m) => Object.values(m.methods).map((method) => Object.assign(method, { intervals: undefined })),
    INTERVALS,
  ],
  ['has interval graphs without a level', { interval_level: null }, INTERVALS],
  ['has a level of intervals of 1', { interval_level: 1 }, /^interval_level: /],
  ['has a score at another horizon', { 'scores.0.horizon_years': 2 }, /^scores\.0\.horizon_years: /],
  ['has a score above 1', { 'scores.5.brier': 1.2 }, /^scores\.5\.brier: /],
];

test.each(MANIFEST_REFUSALS)('a manifest that %s is refused', (_, edit, problem) =>
  expectRefusedEdit('models/manifest.json', edit, problem),
);

test.each(['', '{"auc": NaN}', '[]', 'null'])('a manifest that is %j is refused', async (content) => {
  await expectRefusedAfter((copy) => {
    const file = path.join(copy.modelDir, 'manifest.json');
    writeFileSync(file, content);
    return file;
  }, /^is not valid JSON: Unexpected |^Invalid input: expected object/);
});

interface Outlines {
  features: { properties: { region: string }; geometry: { type: string; coordinates: number[][][][] } }[];
}
const eachPosition = ({ features }: Outlines, edit: (position: number[]) => unknown) =>
  features.flatMap(({ geometry }) => geometry.coordinates.flat(2)).forEach(edit);

const REGION_REFUSALS: readonly (readonly [string, Edit<Outlines>, string | RegExp])[] = [
  [
    'in another order than the grid has them',
    (o) => o.features.reverse(),
    'has the regions US-WA, US-OR, but the grid has US-OR, US-WA',
  ],
  ['under another code', { 'features.0.properties.region': 'US-ID' }, /^has the regions US-ID/],
  ['of no feature', { features: [] }, /^features: /],
  ['that are points', { 'features.0.geometry.type': 'Point' }, /^features\.0\.geometry/],
  [
    'with an outline of three positions',
    (o) => o.features[0].geometry.coordinates[0][0].splice(3),
    /^features\.0\.geometry\.coordinates\.0\.0/,
  ],
  [
    'with a position that is not a number',
    { 'features.0.geometry.coordinates.0.0.0.1': null },
    /^features\.0\.geometry\.coordinates\.0\.0\.0/,
  ],
  [
    'whose latitudes and longitudes are swapped',
    (o) => eachPosition(o, (position) => position.reverse()),
    /^features\.0\.geometry\.coordinates\.0\.0\.0\.1: .*-90/,
  ],
  [
    'in metres',
    (o) => eachPosition(o, (position) => position.splice(0, 2, 500_000, 4_900_000)),
    /^features\.0\.geometry\.coordinates\.0\.0\.0\.0: .*180/,
  ],
  [
    'with a ring that is not closed',
    (o) => o.features[0]!.geometry.coordinates[0]![0]!.pop(),
    /^features\.0\.geometry\.coordinates\.0\.0: must end with its first position/,
  ],
];

test.each(REGION_REFUSALS)('regions %s are refused', (_, edit, problem) =>
  expectRefusedEdit('data/regions.geojson', edit, problem),
);

test.each<readonly [string, Edit<object[]>, RegExp]>([
  ['with a species that has no name', { '4.common_name': '' }, /^4\.common_name: /],
  ['with an unknown group', { '0.group': 'palm' }, /^0\.group: /],
  ['of no species', (list) => list.splice(0), /Too small|too small|at least/],
  ['with a species twice', (list) => Object.assign(list[1], list[0]), /^has .{3,6} twice$/],
  ['of more species than rows can hold', (list) => list.push(...Array(2).fill(list[0])), /<=32/],
])('a species list %s is refused', (_, edit, problem) =>
  expectRefusedEdit('data/species.json', edit, problem),
);

/** Flips a bit of the byte in the middle of a file. */
function flipBit(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 0x10;
  writeFileSync(file, bytes);
}

const cutOff = (file: string) => truncateSync(file, Math.floor(readFileSync(file).length * 0.7));

/** Files whose every byte a checksum covers. */
const CHECKED = [
  ...Object.values(DATA_FILES).map((name) => `data/${name}`),
  'models/manual.onnx',
  'models/drone_seeded.onnx',
];
const FILES = [...CHECKED, 'data/SHA256SUMS', 'models/manifest.json'];
const MISMATCH = /^SHA-256 is [0-9a-f]{64}, but (manifest\.json|SHA256SUMS) says [0-9a-f]{64}/;
type Damage = readonly [file: string, how: string, damage: (file: string) => void, problem: string | RegExp];

test.each<Damage>([
  ...FILES.map((file) => [file, 'is missing', rmSync, 'the file is missing'] as const),
  ...FILES.map((file) => [file, 'is cut off', cutOff, ''] as const),
  ...CHECKED.map((file) => [file, 'has one bit flipped', flipBit, MISMATCH] as const),
])('artefacts of which %s %s are refused, naming the file', (name, _how, damage, problem) =>
  withProjectCopy(async (copy) => {
    const file = path.join(copy.folder, name);
    damage(file);
    await expectRefusal(() => readArtefacts(copy.dataDir, copy.modelDir), file, problem);
  }, small),
);

/** Makes the copy's manifest name these bytes as the interval graph of each method. */
function addIntervals(copy: ProjectCopy, bytes: string): string[] {
  const names = PLANTING_METHODS.map((method) => `${method}-intervals.onnx`);
  for (const name of names) writeFileSync(path.join(copy.modelDir, name), bytes + name);
  copy.editJson(path.join(copy.modelDir, MANIFEST_FILE), (manifest: EditableManifest) => {
    manifest.interval_level = 0.8;
    for (const [index, method] of PLANTING_METHODS.entries()) {
      manifest.methods[method].intervals = { file: names[index], sha256: sha256Of(bytes + names[index]) };
    }
  });
  return names.map((name) => path.join(copy.modelDir, name));
}

test('the interval graphs that a manifest names are read in the order of the methods', async () => {
  await withProjectCopy((copy) => {
    const files = addIntervals(copy, 'a graph: ');
    const { intervalFiles } = readArtefacts(copy.dataDir, copy.modelDir);
    expect(intervalFiles.map(({ path: file, bytes }) => [file, String(bytes)])).toEqual(
      files.map((file) => [file, `a graph: ${path.basename(file)}`]),
    );
  }, small);
});

test.each<[string, (file: string) => void, RegExp]>([
  ['is missing', rmSync, /^the file is missing$/],
  ['has a byte more', (file) => appendFileSync(file, '!'), /^SHA-256 is .*, but manifest\.json says /],
])('an interval graph that %s is refused', async (_, damage, problem) => {
  await expectRefusedAfter((copy) => {
    const [, file] = addIntervals(copy, 'a graph: ');
    damage(file);
    return file;
  }, problem);
});

test.each<readonly [what: string, changes: GridChanges, problem: string]>([
  ['native ranges', { columns: { native_ranges: undefined } }, 'column native_ranges is missing'],
  [
    'the temperature that vapor pressure deficits follow',
    { columns: { temperature_max: undefined } },
    'column temperature_max is missing',
  ],
  [
    'lapse rates in the unit of their variable',
    { fields: { lapse_vpd_max: { unit: 'hPa/100 m' } } },
    'column lapse_vpd_max is in hPa/100 m, but must be in hPa/km',
  ],
])('a set of artefacts whose grid lacks %s is refused', async (_, changes, problem) => {
  await expectRefusedAfter((copy) => {
    const file = path.join(copy.dataDir, 'grid.arrow');
    writeGridCopy(file, changes);
    return file;
  }, problem);
});

test.each([
  ['moon_phase', 'column moon_phase is missing'],
  ['soil_water_error', 'column soil_water_error is in mm, but must be in degC'],
])('a grid whose column %s cannot be the error of the dew point is refused', async (column, problem) => {
  await expectRefusedAfter((copy) => {
    copy.editJson(path.join(copy.modelDir, 'manifest.json'), (manifest: EditableManifest) =>
      Object.assign(featureOf(manifest, 'dew_point'), { error: { at_point: 0, per_km: 0, column } }),
    );
    return path.join(copy.dataDir, 'grid.arrow');
  }, problem);
});
