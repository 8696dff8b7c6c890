import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DATA_FILES } from '../../src/prediction/artefacts/artefacts.js';
import type { Manifest } from '../../src/prediction/artefacts/manifest.js';
import { listFiles } from '../../testing/project-copy.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

const projectFolder = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Damages a copy of `data` and `models`. */
type Damage = (file: (name: string) => string) => void;

/** Flips a bit of the byte at a fraction of the file's length. */
function flipBit(file: string, fraction: number): void {
  const bytes = readFileSync(file);
  bytes[Math.floor(fraction * (bytes.length - 1))] ^= 0x10;
  writeFileSync(file, bytes);
}

function editJson<Content>(file: string, edit: (content: Content) => void): void {
  const content = JSON.parse(readFileSync(file, 'utf8')) as Content;
  edit(content);
  writeFileSync(file, JSON.stringify(content));
}

/** Makes the manifest vouch for a model file as it is. */
function vouchFor(manifestFile: string, modelFile: string): void {
  const sha256 = createHash('sha256').update(readFileSync(modelFile)).digest('hex');
  editJson<Manifest>(manifestFile, ({ methods }) => {
    for (const method of Object.values(methods))
      if (modelFile.endsWith(`/${method.file}`)) method.sha256 = sha256;
  });
}

const DATA = Object.values(DATA_FILES).map((name) => `data/${name}`);
const FILES = [
  ...DATA,
  'data/SHA256SUMS',
  'models/manifest.json',
  'models/manual.onnx',
  'models/drone_seeded.onnx',
];
const MANIFEST = 'models/manifest.json';

const DAMAGES: readonly [what: string, named: string, damage: Damage][] = [
  [
    'a grid with a bit flipped at its start',
    'data/grid.arrow',
    (file) => flipBit(file('data/grid.arrow'), 0),
  ],
  ['regions with a bit flipped', 'data/regions.geojson', (file) => flipBit(file('data/regions.geojson'), 0)],
  ['species with a bit flipped', 'data/species.json', (file) => flipBit(file('data/species.json'), 0)],
  ['a manifest with a bit flipped', MANIFEST, (file) => flipBit(file(MANIFEST), 1)],
  [
    'a model of other bytes than the manifest says',
    'models/manual.onnx',
    (file) => flipBit(file('models/manual.onnx'), 0.5),
  ],
  [
    "one method's model in the place of the other",
    'models/manual.onnx',
    (file) => cpSync(file('models/drone_seeded.onnx'), file('models/manual.onnx')),
  ],
  [
    'a model that the manifest vouches for and that is no ONNX',
    'models/manual.onnx',
    (file) => {
      writeFileSync(file('models/manual.onnx'), 'no model');
      vouchFor(file(MANIFEST), file('models/manual.onnx'));
    },
  ],
  [
    "a coverage that is not the grid's",
    MANIFEST,
    (file) =>
      editJson<Manifest>(file(MANIFEST), (manifest) => {
        manifest.version = manifest.version.replace(manifest.coverage, 'sierra');
        manifest.coverage = 'sierra';
      }),
  ],
  [
    'a feature that the grid has not',
    MANIFEST,
    (file) =>
      editJson<Manifest>(file(MANIFEST), ({ features }) => {
        features[0].name = 'snow_depth';
      }),
  ],
  [
    "a feature in another unit than the grid's",
    MANIFEST,
    (file) =>
      editJson<Manifest>(file(MANIFEST), ({ features }) => {
        features[0].unit = 'furlong';
      }),
  ],
  [
    'fewer features than the models take',
    'models/manual.onnx',
    (file) =>
      editJson<Manifest>(file(MANIFEST), ({ features }) => {
        features.pop();
      }),
  ],
  [
    'species in another order',
    MANIFEST,
    (file) =>
      editJson<Manifest>(file(MANIFEST), ({ species }) => {
        species.reverse();
      }),
  ],
  [
    'a version that is not of the codename',
    MANIFEST,
    (file) =>
      editJson<Manifest>(file(MANIFEST), (manifest) => {
        manifest.codename = 'driftwood';
      }),
  ],
  [
    'another species than the models know',
    MANIFEST,
    (file) => {
      editJson<{ species_code: string }[]>(file('data/species.json'), (species) => {
        species[0].species_code = 'XXXX';
      });
      listFiles(file('data'));
    },
  ],
  [
    "regions in another order than the grid's",
    'data/regions.geojson',
    (file) => {
      editJson<{ features: unknown[] }>(file('data/regions.geojson'), ({ features }) => {
        features.reverse();
      });
      listFiles(file('data'));
    },
  ],
];

async function expectRefusal(named: string, damage: Damage): Promise<void> {
  const folder = temporaryFolder();
  for (const name of ['data', 'models'])
    cpSync(projectFolder(name), path.join(folder, name), { recursive: true });
  damage((name) => path.join(folder, name));
  const service = new ServiceProcess({
    DATA_DIR: path.join(folder, 'data'),
    MODEL_DIR: path.join(folder, 'models'),
  });
  expect(await service.exit).toEqual({ code: 1, signal: null });
  expect(service.errors).toMatch(/^nurselog: [^\n]+\n$/);
  expect(service.errors.startsWith(`nurselog: ${path.join(folder, named)}: `)).toBe(true);
}

it.each(FILES)('a missing %s ends the start with one line that names it', (name) =>
  expectRefusal(name, (file) => rmSync(file(name))),
);

it.each(FILES)('a truncated %s ends the start with one line that names it', (name) =>
  expectRefusal(name, (file) => truncateSync(file(name), Math.floor(readFileSync(file(name)).length * 0.7))),
);

it.each(DATA)('%s with one bit flipped in its middle ends the start with one line that names it', (name) =>
  expectRefusal(name, (file) => flipBit(file(name), 0.5)),
);

it.each(DAMAGES)('%s ends the start with one line that names %s', (_what, named, damage) =>
  expectRefusal(named, damage),
);
