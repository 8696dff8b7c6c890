import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** The folder of GDAL's programs: TEST_GDAL, or Debian's. */
const FOLDER = process.env.TEST_GDAL ?? '/usr/bin';
export const HAS_GDAL = existsSync(path.join(FOLDER, 'gdalinfo')) && existsSync(path.join(FOLDER, 'ogrinfo'));

const run = promisify(execFile);

/** Runs a program of GDAL, which sends an API key. @returns its standard output */
export async function gdal(program: string, args: readonly string[], key = ''): Promise<string> {
  const env = { ...process.env, GDAL_HTTP_HEADERS: `X-API-Key: ${key}` };
  const options = { env, maxBuffer: 2 ** 26, timeout: 100_000 };
  return (await run(path.join(FOLDER, program), args, options)).stdout;
}
