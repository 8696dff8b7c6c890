import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { clientPython, whyNoClient } from '../client-python.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startReplicas, whyNoReplicas } from '../servers/replicas.js';

const SCRIPT = fileURLToPath(new URL('../../clients/python/bench/cells.py', import.meta.url));
const CELLS = 10_000_000;
const REPLICAS = 3;

/** A map of cells of 30 m, scored by the Python client against three replicas behind nginx, once: it takes minutes. */
export async function cells(environment: Environment): Promise<Row[]> {
  const why = whyNoReplicas() ?? whyNoClient();
  if (why !== undefined) return [{ scope: 'cells', what: `left out: ${why}`, figures: {} }];
  const server = await startReplicas(REPLICAS, { WORKERS: '1' });
  try {
    environment.progress(`cells: ${CELLS.toLocaleString('en')} by the Python client`);
    const before = await server.usage();
    const { stdout } = await promisify(execFile)(clientPython(), [SCRIPT, String(CELLS)], {
      env: {
        ...process.env,
        NURSELOG_URL: `http://127.0.0.1:${server.port}`,
        NURSELOG_API_KEY: server.key,
      },
    });
    const after = await server.usage();
    const { answered, seconds, cpu_seconds } = JSON.parse(stdout) as Record<string, number>;
    return [
      {
        scope: 'cells',
        what: `${CELLS.toLocaleString('en')} cells of 30 m, ${REPLICAS} replicas of one worker behind nginx`,
        figures: {
          answered,
          seconds,
          'cells/s': CELLS / seconds,
          'CPU us/cell, replicas and nginx': ((after.cpuSeconds - before.cpuSeconds) * 1e6) / CELLS,
          'CPU us/cell, client': (cpu_seconds * 1e6) / CELLS,
        },
      },
    ];
  } finally {
    await server.stop();
  }
}
