import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { CAN_MOUNT } from './can-mount.js';
import { HAS_CHROMIUM } from './chromium.js';
import { HAS_GDAL } from './gdal.js';
import { HAS_PRLIMIT } from './prlimit.js';

/** Compiles `src` before the tests: workers and child processes run what ships, from `dist`. */
export default function buildOnce(): () => void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  // The processes of a run do not remove what their files share.
  const folder = mkdtempSync(`${tmpdir()}/nurselog-tests-`);
  process.env.TMPDIR = folder;
  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    tellWhatWasLeftOut();
  };
}

function tellWhatWasLeftOut(): void {
  const { TEST_POSTGRES_URL, TEST_DEPLOY_TOOLS } = process.env;
  for (const [canRun, tests] of [
    [TEST_POSTGRES_URL, 'of accounts on PostgreSQL, which run where TEST_POSTGRES_URL names a server'],
    [
      TEST_DEPLOY_TOOLS,
      'of deploy/ with nginx, promtool and schemas, which run where TEST_DEPLOY_TOOLS names the folder that .ci/deploy-tools makes',
    ],
    [HAS_CHROMIUM, 'of pages in a browser, which run where CHROMIUM names one'],
    [HAS_GDAL, 'of surfaces with GDAL, which run where TEST_GDAL names the folder of gdalinfo'],
    [HAS_PRLIMIT, 'of too few open files, which run where prlimit is'],
    [CAN_MOUNT, 'of a full disk and of two addresses of localhost, which run as a user who may mount files'],
  ] as const) {
    if (!canRun) console.log(`Left out: the tests ${tests}.`);
  }
}
