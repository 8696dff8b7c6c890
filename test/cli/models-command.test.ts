import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sha256Of } from '../../src/prediction/artefacts/artefact-file.js';
import { DATA_FILES } from '../../src/prediction/artefacts/artefacts.js';
import { MANIFEST_FILE } from '../../src/prediction/artefacts/manifest.js';
import { modelDir } from '../../testing/project.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { writeGridSample } from '../prediction/support/grid-copy.js';
import { runCommand } from '../support/command-process.js';
import { IS_LONG } from '../support/length.js';

test.each([
  [['--nonsense'], "Unknown option '--nonsense'"],
  [['verify', '--nonsense'], "Unknown option '--nonsense'"],
  [[], 'no command was given; the command is verify'],
  [['check'], '"check" is not a command; the command is verify'],
  [['verify', 'a', 'b\u009b'], 'unexpected argument "b\\u009b"'],
])(
  'the models command rejects the arguments %j with exit code 2 and says what would be right',
  async (args, message) => {
    expect(await runCommand('models', args, {})).toEqual({
      code: 2,
      stdout: '',
      stderr: `models: ${message}\n"models --help" shows its usage.\n`,
    });
  },
);

test('models verify accepts the models of the project and measures the time per row of each', async () => {
  const copy = new ProjectCopy();
  onTestFinished(() => copy.remove());
  if (!IS_LONG) writeGridSample(path.join(copy.dataDir, DATA_FILES.grid), 50); // all points take half a minute of CPU
  copy.listDataFiles();
  const { code, stdout, stderr } = await runCommand('models', ['verify'], {
    DATA_DIR: copy.dataDir,
    MODEL_DIR: copy.modelDir,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const times = [...stdout.matchAll(/^time {4}(\w+): ([\d.e+]+) us per row, measured on this machine/gm)];
  expect(times.map(([, method]) => method)).toEqual(['manual', 'drone_seeded']);
  for (const [, , usPerRow] of times) expect(Number(usPerRow)).toBeGreaterThan(0);
  const digest = sha256Of(readFileSync(path.join(modelDir, MANIFEST_FILE)));
  expect(stdout).toMatch(new RegExp(`^digests models ${digest}, grid [0-9a-f]{64}$`, 'm'));
  expect(stdout).toMatch(/\nThe models may be served.\n$/);
});

test('models verify rejects a folder without models with exit code 1 and the reason on one line', async () => {
  const { code, stdout, stderr } = await runCommand('models', ['verify', '/nowhere\u001b\n'], {});
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^FAILED [^\n]*\/nowhere\\u001b[^\n]*\nThe models must not be served.\n$/);
});

test('the models command rejects an invalid variable in one line that names it', async () => {
  expect(await runCommand('models', ['verify'], { WORKERS: 'two' })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^models: WORKERS [^\n]+\n$/),
  });
});

test.each(['verify', '--help', '-h'])(
  'output that goes to a full disk or a closed pipe ends models %s with exit code 1 and one line',
  async (argument) => {
    for (const outputTo of ['a full disk', 'a closed pipe'] as const)
      expect(await runCommand('models', [argument], {}, outputTo)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^models: standard output cannot be written to \([^\n]+\)\n$/),
      });
  },
);
