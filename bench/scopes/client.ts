import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atLeast } from './rows.js';

const SCRIPT = fileURLToPath(new URL('../../clients/python/bench/tables.py', import.meta.url));
const PACKAGES = 'import httpx, nurselog, orjson, pandas';
const SITES = 1_000_000;

/** The Python that has the client and the packages of clients/python/requirements-dev.txt. */
const python = () => process.env.CLIENT_PYTHON ?? 'python3';

interface Measured {
  readonly sites: number;
  readonly seconds: Readonly<Record<string, number>>;
}

/** Tables by the Python client and batches of JSON, from a file to a pandas frame, each once: it takes minutes. */
export async function client(environment: Environment): Promise<Row[]> {
  const check = spawnSync(python(), ['-c', PACKAGES], { encoding: 'utf8' });
  if (check.status !== 0) {
    const why = check.error?.message ?? check.stderr.trim().split('\n').at(-1);
    return [
      { scope: 'client', what: `left out: ${why}; CLIENT_PYTHON may name another Python`, figures: {} },
    ];
  }
  const { port, key } = await environment.nurselog();
  environment.progress(`client: ${SITES} sites in four ways`);
  const { stdout } = await promisify(execFile)(python(), [SCRIPT, String(SITES)], {
    env: { ...process.env, NURSELOG_URL: `http://127.0.0.1:${port}`, NURSELOG_API_KEY: key },
  });
  const { sites, seconds } = JSON.parse(stdout) as Measured;
  const ratio = seconds['JSON to frame']! / seconds['table to frame']!;
  return Object.entries(seconds).map(([what, s]) => ({
    scope: 'client',
    what: `Python, ${sites} sites, ${what}`,
    figures: { seconds: s, 'sites/s': sites / s },
    ...(what === 'table to frame'
      ? { target: atLeast(ratio, 8, "its time in batches of JSON over the table's") }
      : {}),
  }));
}
