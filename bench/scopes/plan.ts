import path from 'node:path';
import { readArtefactFile } from '../../src/prediction/artefacts/artefact-file.js';
import { type GridFile, parseGrid } from '../../src/prediction/artefacts/grid-file.js';
import { parseSpecies } from '../../src/prediction/artefacts/species.js';
import { seededRandom } from '../../testing/random.js';
import { spread } from '../../testing/statistics.js';
import { DATA_DIR, type Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atMost } from './rows.js';

const ROUNDS = 15;
/** Answered before, so that all of the code is compiled. */
const WARM_UP_ROUNDS = 5;
const UNITS = 500;
const MAX_POINTS = 4;
const SPECIES = 10;
const CORNERS = 20;

const MAX_CPU_MS = 400;

interface Answer {
  readonly units: readonly { readonly data_points: number; readonly options: readonly unknown[] }[];
}

/** Plans of 500 units of at most 4 data points, 10 species and both methods, one after the other: CPU of all threads. */
export async function plan(environment: Environment): Promise<Row[]> {
  const { port, key, usage } = await environment.nurselog();
  const body = planBody();
  const milliseconds: number[] = [];
  const cpuMs: number[] = [];
  let answer: Answer = { units: [] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    environment.progress(`plan: round ${round + 1} of ${ROUNDS}`);
    const before = await usage();
    const startMs = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/v1/plan`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body,
    });
    answer = (await response.json()) as Answer;
    const elapsedMs = performance.now() - startMs;
    const after = await usage();
    if (round < 0) continue;
    milliseconds.push(elapsedMs);
    cpuMs.push((after.cpuSeconds - before.cpuSeconds) * 1000);
  }
  const points = answer.units.map(({ data_points }) => data_points);
  if (answer.units.length !== UNITS || Math.max(...points) > MAX_POINTS)
    throw new Error('the plan of the bench is not what it should be');
  const predictions = answer.units.reduce(
    (sum, { data_points, options }) => sum + Math.max(1, data_points) * options.length,
    0,
  );
  const cpu = spread(cpuMs);
  return [
    {
      scope: 'plan',
      what: `${UNITS} units of ${MAX_POINTS} data points at most, ${SPECIES} species, both methods: ${predictions} predictions with intervals`,
      figures: { 'CPU ms': cpu, ms: spread(milliseconds) },
      target: atMost(cpu.median, MAX_CPU_MS, 'CPU ms of a plan'),
    },
  ];
}

/** Rings of 20 corners that hold at most 4 data points. */
function planBody(): string {
  const random = seededRandom(7);
  const grid = parseGrid(readArtefactFile(path.join(DATA_DIR, 'grid.arrow')));
  const species = parseSpecies(readArtefactFile(path.join(DATA_DIR, 'species.json')));
  const features = Array.from({ length: UNITS }, (_, id) => ({
    type: 'Feature',
    id,
    geometry: {
      type: 'Polygon',
      coordinates: [ringAt(grid, Math.floor(random() * grid.pointCount), random)],
    },
  }));
  return JSON.stringify({
    units: { type: 'FeatureCollection', features },
    species_codes: species.slice(0, SPECIES).map(({ species_code }) => species_code),
    native_only: false,
    costs: { manual: 1.2, drone_seeded: 0.35 },
  });
}

/** A ring around the middle between a point and its neighbours to the north-east, less than two steps of the lattice wide. */
function ringAt(grid: GridFile, point: number, random: () => number): [number, number][] {
  const step = 1 / grid.stepsPerDegree;
  const longitude = grid.longitudes[grid.column[point]] + step / 2;
  const latitude = grid.latitudes[grid.row[point]] + step / 2;
  const ring = Array.from({ length: CORNERS }, (_, corner): [number, number] => {
    const angle = (2 * Math.PI * corner) / CORNERS;
    const radius = step * (0.8 + 0.3 * random());
    return [longitude + radius * Math.cos(angle), latitude + radius * Math.sin(angle)];
  });
  return [...ring, ring[0]];
}
