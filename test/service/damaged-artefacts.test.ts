import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DATA_FILES, readArtefacts } from '../../src/prediction/artefacts/artefacts.js';
import type { Manifest } from '../../src/prediction/artefacts/manifest.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { expectRefusal } from '../prediction/support/artefact-refusal.js';
import { ServiceProcess } from '../support/service-process.js';

function temporaryCopy(): ProjectCopy {
  const copy = new ProjectCopy();
  onTestFinished(() => copy.remove());
  return copy;
}

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
const DAMAGES: readonly (readonly [file: string, how: string, damage: (file: string) => void])[] = [
  ...FILES.map((file) => [file, 'is missing', rmSync] as const),
  ...FILES.map((file) => [file, 'is cut off', cutOff] as const),
  ...CHECKED.map((file) => [file, 'has one bit flipped', flipBit] as const),
];

test.each(DAMAGES)('artefacts of which %s %s are refused, naming the file', async (name, _how, damage) => {
  const copy = temporaryCopy();
  const file = path.join(copy.folder, name);
  damage(file);
  await expectRefusal(() => readArtefacts(copy.dataDir, copy.modelDir), file, '');
});

test.each<[what: string, file: string, damage: (copy: ProjectCopy) => void]>([
  ['a damaged grid', 'data/grid.arrow', ({ dataDir }) => flipBit(path.join(dataDir, DATA_FILES.grid))],
  [
    'models of more features than their manifest names',
    'models/manual.onnx',
    (copy) =>
      copy.editJson(path.join(copy.modelDir, 'manifest.json'), ({ features, methods }: Manifest) => {
        features.pop();
        for (const { averages } of Object.values(methods)) for (const row of averages) row.pop();
      }),
  ],
])('a start on %s ends with one line that names the file', async (_what, file, damage) => {
  const copy = temporaryCopy();
  damage(copy);
  const service = new ServiceProcess({ DATA_DIR: copy.dataDir, MODEL_DIR: copy.modelDir });
  expect(await service.exit).toEqual({ code: 1, signal: null });
  expect(service.errors).toMatch(/^nurselog: [^\n]+\n$/);
  expect(service.errors.startsWith(`nurselog: ${path.join(copy.folder, file)}: `)).toBe(true);
});
