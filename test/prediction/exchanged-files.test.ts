import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { CHECKSUMS_FILE, sha256Of } from '../../src/prediction/artefacts/artefact-file.js';
import {
  type Artefacts,
  DATA_FILES,
  identityOf,
  readArtefacts,
} from '../../src/prediction/artefacts/artefacts.js';
import { MANIFEST_FILE, type Manifest } from '../../src/prediction/artefacts/manifest.js';
import type { Species } from '../../src/prediction/artefacts/species.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { exchangeAfterFirstRead } from '../support/exchanged-file.js';
import { Releases } from '../support/releases.js';
import { encodeConstantModel, soundModel } from './support/constant-model.js';
import { writeGridSample } from './support/grid-copy.js';

/** The project's artefacts with every 500th point of the grid: quick to copy and to read. */
const small = new ProjectCopy();
writeGridSample(path.join(small.dataDir, DATA_FILES.grid), 500);
small.listDataFiles();
afterAll(() => small.remove());

function projectFiles() {
  const files = new Releases(small);
  onTestFinished(() => files.remove());
  return { files, artefacts: readArtefacts(files.dataDir, files.modelDir) };
}

/** The content of every file that was read; for graphs the digests, because comparing their bytes takes seconds. */
function contentOf({ grid, modelFiles, intervalFiles, ...rest }: Artefacts) {
  const graphs = [...modelFiles, ...intervalFiles].map(({ bytes }) => sha256Of(Buffer.from(bytes)));
  return { grid: grid.pointCount, graphs, ...rest };
}

const writeOtherModel = (file: string, { manifest }: Artefacts) =>
  writeFileSync(file, encodeConstantModel(soundModel(manifest.features.length)));

/** Puts other content into a copy of a file, as valid as the project's. */
const CHANGES: readonly (readonly [name: string, change: (file: string, artefacts: Artefacts) => void])[] = [
  [`data/${DATA_FILES.grid}`, (file) => writeGridSample(file, 400)],
  [
    `data/${DATA_FILES.regions}`,
    (file) =>
      small.editJson(file, ({ features }: { features: { properties: { name: string } }[] }) => {
        features[0].properties.name = 'another name';
      }),
  ],
  [
    `data/${DATA_FILES.species}`,
    (file) =>
      small.editJson(file, (species: Species[]) => {
        species[0] = { ...species[0], common_name: 'another name' };
      }),
  ],
  [
    `models/${MANIFEST_FILE}`,
    (file) =>
      small.editJson(file, (manifest: Manifest) => {
        manifest.series = 'another series';
      }),
  ],
  ['models/manual.onnx', writeOtherModel],
  ['models/drone_seeded.onnx', writeOtherModel],
];

test.each<(typeof CHANGES)[number]>([
  ...CHANGES,
  [`data/${CHECKSUMS_FILE}`, (file) => writeFileSync(file, '')],
])(
  'readArtefacts returns the checked content when %s is replaced right after it was read',
  (name, change) => {
    const { files, artefacts } = projectFiles();
    const file = path.join(files.folder, name);
    const changed = path.join(files.folder, 'changed');
    copyFileSync(file, changed);
    change(changed, artefacts);
    exchangeAfterFirstRead(file, readFileSync(changed));
    expect(contentOf(readArtefacts(files.dataDir, files.modelDir))).toEqual(contentOf(artefacts));
  },
);

test('the digests of models and grid are the same for the same files, and each differs when one of its own files does', () => {
  const { files, artefacts } = projectFiles();
  expect(identityOf(projectFiles().artefacts)).toBe(identityOf(artefacts));
  files.updateModelDigests(); // rewrites the manifest
  let before = readArtefacts(files.dataDir, files.modelDir);
  const identities = new Set([identityOf(before)]);
  for (const [name, change] of CHANGES) {
    change(path.join(files.folder, name), artefacts);
    files.listDataFiles();
    files.updateModelDigests();
    const after = readArtefacts(files.dataDir, files.modelDir);
    const isModel = name.startsWith('models/');
    expect(after.modelDigest === before.modelDigest).toBe(!isModel);
    expect(after.gridDigest === before.gridDigest).toBe(isModel);
    identities.add(identityOf(after));
    before = after;
  }
  expect(identities.size).toBe(1 + CHANGES.length);
});
