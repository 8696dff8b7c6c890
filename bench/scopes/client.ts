import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { clientPython, whyNoClient } from '../client-python.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atLeast } from './rows.js';

const SCRIPT = fileURLToPath(new URL('../../clients/python/bench/tables.py', import.meta.url));
const SITES = 1_000_000;

interface Measured {
  readonly sites: number;
  readonly seconds: Readonly<Record<string, number>>;
}

/** Tables by the Python client and batches of JSON, from a file to a pandas frame, each once: it takes minutes. */
export async function client(environment: Environment): Promise<Row[]> {
  const why = whyNoClient();
  if (why !== undefined) return [{ scope: 'client', what: `left out: ${why}`, figures: {} }];
  const { port, key } = await environment.nurselog();
  environment.progress(`client: ${SITES} sites in four ways`);
  const { stdout } = await promisify(execFile)(clientPython(), [SCRIPT, String(SITES)], {
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
