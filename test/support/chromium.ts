import { existsSync } from 'node:fs';

/** Chromium for the tests of the page: of CHROMIUM, or Debian's. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const HAS_CHROMIUM = existsSync(CHROMIUM);
const SHELL = `${CHROMIUM}-headless-shell`;
/** Its headless shell if that is installed beside it, as Debian's is: pages take less than half of the CPU. */
export const HEADLESS_CHROMIUM = existsSync(SHELL) ? SHELL : CHROMIUM;
