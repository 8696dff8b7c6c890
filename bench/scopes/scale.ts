import { DATA_DIR, type Environment } from '../environment.js';
import { generateGrid } from '../generated-grid.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';
import { atMost } from './rows.js';

const POINTS = [18_000, 330_000, 3_000_000];
const WORKERS = [1, 2, 4];
const MEGABYTE = 1024 * 1024;

interface Scaled {
  readonly points: number;
  readonly workers: number;
  readonly cpuMicrosecondsPerSite: number;
  readonly residentMegabytes: number;
}

/** Grids of generated points and numbers of workers: time until ready, memory, CPU per site. */
export async function scale(environment: Environment): Promise<Row[]> {
  const rows: Row[] = [];
  const all: Scaled[] = [];
  for (const points of POINTS) {
    environment.progress(`scale: generating a grid of ${points} points`);
    const dataDir = generateGrid(DATA_DIR, environment.folder, points);
    for (const workers of WORKERS) {
      const server = await startNurselog({ DATA_DIR: dataDir, WORKERS: String(workers), CACHE_BYTES: '0' });
      const name = `${points} points, ${workers} workers`;
      try {
        const contender = { name, server, workload: 'batch', connections: 8 } as const;
        const [figures] = await environment.measure([contender], { rounds: 3, roundMs: 1000 }, dataDir);
        const residentMegabytes = (await server.usage()).residentBytes / MEGABYTE;
        const scaled = {
          points,
          workers,
          cpuMicrosecondsPerSite: figures!.cpuMicrosecondsPerSite.median,
          residentMegabytes,
        };
        all.push(scaled);
        rows.push({
          scope: 'scale',
          what: name,
          figures: {
            'ready ms': server.readyMs,
            'memory MB': residentMegabytes,
            'CPU us/site': figures!.cpuMicrosecondsPerSite,
          },
          ...targetOf(scaled, all),
        });
      } finally {
        await server.stop();
      }
    }
  }
  return rows;
}

function targetOf(scaled: Scaled, all: readonly Scaled[]): Pick<Row, 'target'> | object {
  const other = (points: number, workers: number) =>
    all.find((one) => one.points === points && one.workers === workers)!;
  const { points, workers } = scaled;
  if (points === POINTS.at(-1) && workers === 2) {
    const ratio = scaled.cpuMicrosecondsPerSite / other(POINTS[0], 2).cpuMicrosecondsPerSite;
    return { target: atMost(ratio, 2.5, `CPU per site over that at ${POINTS[0]} points`) };
  }
  if (points === POINTS[0] && workers === 4) {
    const more = (scaled.residentMegabytes - other(points, 2).residentMegabytes) / 2;
    return { target: atMost(more, 40, 'MB more for each worker beyond the second') };
  }
  return {};
}
