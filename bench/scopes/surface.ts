import { performance } from 'node:perf_hooks';
import { spread } from '../../testing/statistics.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atMost } from './rows.js';

const ROUNDS = 10;
/** Surfaces measured together, so that each pays for the memory that it leaves behind. */
const SURFACES_IN_A_ROW = 5;
const POINTS = 20_000;
const MAX_CPU_MS = 120;

/** The parameters of a surface and its format. The points are those of everywhere, of a coarser lattice. */
const SURFACES = [
  ['JSON', 'application/json', ''],
  ['JSON, a warmer climate', 'application/json', '&warming_c=2'],
  ['GeoJSON', 'application/geo+json', ''],
  ['CSV', 'text/csv', ''],
  ['Arrow', 'application/vnd.apache.arrow.stream', ''],
] as const;

/** Surfaces of one species and both methods, one after the other at one connection: CPU for 20,000 points. */
export async function surface(environment: Environment): Promise<Row[]> {
  const { port, key, usage } = await environment.nurselog();
  const get = (path: string, accept: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'x-api-key': key, accept, 'accept-encoding': 'identity' },
    });
  const catalogue = (await (await get('/v1/species', '*/*')).json()) as {
    species: { species_code: string }[];
  };
  const path = `/v1/surfaces/${catalogue.species[0].species_code}?max_points=${POINTS}`;
  const { points } = (await (await get(path, '*/*')).json()) as { points: number };
  const figures = SURFACES.map(() => ({ cpuMs: [] as number[], wallMs: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    environment.progress(`surface: round ${round + 1} of ${ROUNDS}`);
    for (const [i, [, accept, scenario]] of SURFACES.entries()) {
      const before = await usage();
      const startMs = performance.now();
      for (let n = 0; n < SURFACES_IN_A_ROW; n++) await (await get(path + scenario, accept)).arrayBuffer();
      figures[i].wallMs.push((performance.now() - startMs) / SURFACES_IN_A_ROW);
      const cpuMs = ((await usage()).cpuSeconds - before.cpuSeconds) * 1000;
      figures[i].cpuMs.push((cpuMs * POINTS) / points / SURFACES_IN_A_ROW);
    }
  }
  return SURFACES.map(([name, , scenario], i) => {
    const cpuMs = spread(figures[i].cpuMs);
    return {
      scope: 'surface',
      what: `${name}, ${points} points`,
      figures: { 'CPU ms for 20,000 points': cpuMs, 'wall ms': spread(figures[i].wallMs) },
      ...(name === 'JSON' && scenario === ''
        ? { target: atMost(cpuMs.median, MAX_CPU_MS, 'CPU ms for 20,000 points') }
        : {}),
    };
  });
}
