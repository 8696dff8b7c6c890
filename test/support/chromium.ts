import { existsSync } from 'node:fs';

/** Chromium for the tests of the page: of CHROMIUM, or Debian's. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const HAS_CHROMIUM = existsSync(CHROMIUM);
