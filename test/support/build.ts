import { execFileSync } from 'node:child_process';
import { CAN_MOUNT } from './can-mount.js';
import { HAS_CHROMIUM } from './chromium.js';
import { HAS_GDAL } from './gdal.js';
import { HAS_PRLIMIT } from './prlimit.js';

/** Compiles `src` before the tests: workers and child processes run what ships, from `dist`. */
export default function buildOnce(): () => void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  return tellWhatWasLeftOut;
}

function tellWhatWasLeftOut(): void {
  if (process.env.TEST_POSTGRES_URL === undefined) {
    console.log(
      'Left out: the tests of accounts on PostgreSQL, which run where TEST_POSTGRES_URL names a server.',
    );
  }
  if (process.env.TEST_DEPLOY_TOOLS === undefined) {
    console.log(
      'Left out: tests of deploy/ with nginx, promtool and schemas, which run where TEST_DEPLOY_TOOLS names the folder that .ci/deploy-tools makes.',
    );
  }
  if (!HAS_CHROMIUM)
    console.log('Left out: tests of pages in a browser, which run where CHROMIUM names one.');
  if (!HAS_GDAL)
    console.log(
      'Left out: tests of surfaces with GDAL, which run where TEST_GDAL names the folder of gdalinfo.',
    );
  if (!HAS_PRLIMIT) console.log('Left out: a test of too few open files, which runs where prlimit is.');
  if (!CAN_MOUNT)
    console.log(
      'Left out: the tests of a full disk and of two addresses of localhost, which run as a user who may mount files.',
    );
}
