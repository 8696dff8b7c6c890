import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { TableFormat } from '../../src/formats/table/table-request.js';
import {
  batchResponseSchema,
  compareResponseSchema,
  planResponseSchema,
  predictionResultSchema,
  rankingResponseSchema,
} from '../../src/http/response/schemas.js';
import { readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { collection, FOREST_RING, unit } from '../http/support/units.js';
import { arrowOfManyTypes, bodyOf } from '../http/table/support/bodies.js';
import { readAnswer } from '../http/table/support/read-answer.js';
import { sampleRows } from '../http/table/support/samples.js';
import { rectangle, starAround } from '../prediction/support/outlines.js';
import { parseErrorBody } from '../support/error-body.js';
import { amount, IS_LONG } from '../support/length.js';
import { mutateBytes } from '../support/mutate-bytes.js';
import { COMPARE_REQUEST, FOREST_SITE, PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';
import { mutateJson } from './support/mutate-json.js';
import { ThreadUsage } from './support/thread-usage.js';

const MAX_TURN_MS = 50;
const MAX_MORE_BYTES = 64 * 2 ** 20;

/** One of this many bodies is large. */
const LARGE_EVERY = 50;

const service = await serviceOfFile({ WORKERS: '1', REQUEST_TIMEOUT_MS: '60000' });
const data = readPredictorData();

const random = seededRandom(20_261_122);

/** A valid plan: polygons with holes, several polygons, neighbours of the antimeridian, ids of both types. */
function planBody(units: number): string {
  const [east, north] = [-125 + 9 * random(), 41.5 + 8 * random()];
  const features = Array.from({ length: units }, (_, i) =>
    unit(
      i % 2 === 0 ? i : `unit ${i}`,
      starAround([east, north], 0.02, 4 + Math.floor(40 * random()), random),
    ),
  );
  const polygons = [
    [FOREST_RING, rectangle(-122.045, 44.105, -122.04, 44.11)],
    [rectangle(179.9, 44, 180, 44.1)],
  ];
  const multi = { ...unit('multi'), geometry: { type: 'MultiPolygon', coordinates: polygons }, bbox: [1, 2] };
  return JSON.stringify({
    units: { ...collection(...features, multi), name: 'stands' },
    species_codes: ['PSME'],
    costs: { manual: 1, drone_seeded: 0.2 },
    conditions: {},
  });
}

/** JSON with some of its values, tokens or bytes changed. */
const mutated = (body: string) =>
  random() < 0.3 ? mutateBytes(Buffer.from(body), random) : Buffer.from(mutateJson(body, random));

const mutatedPlan = (isLarge: boolean) => mutated(planBody(isLarge ? 400 : 1 + Math.floor(3 * random())));

const OPTIONS = {
  horizons: [1, 5],
  elevation_m: 700,
  conditions: { vpd_max: 12.5 },
  scenario: { warming_c: 2 },
  include: ['site', 'explanation', 'intervals'],
};
/** Fields of the caller's own, which may be anything. */
const TAGS = { plot: 'A-17', notes: [{ id: 1, text: 'x' }, [1, 2, 3], null, true], crew: { size: 4 } };
const mutatedSite = (site: object) => () =>
  mutated(JSON.stringify({ ...site, ...(random() < 0.5 && OPTIONS), ...TAGS }));

function mutatedBatch(isLarge: boolean): Buffer {
  const requests = scatteredSites(isLarge ? 500 : 1 + Math.floor(8 * random()));
  return mutated(
    JSON.stringify({
      requests: requests.map((site, i) => ({ ...PREDICT_REQUEST, ...site, ...(i % 2 === 0 && OPTIONS) })),
    }),
  );
}

function mutatedTable(format: TableFormat, isLarge: boolean): Buffer {
  const rows = sampleRows(data, isLarge ? 5000 : 1 + Math.floor(12 * random()), random);
  const isOfManyTypes = format === 'arrow' && random() < 0.5;
  return mutateBytes(Buffer.from(isOfManyTypes ? arrowOfManyTypes(rows) : bodyOf(format, rows)), random);
}

const FORMATS: readonly TableFormat[] = ['csv', 'ndjson', 'arrow'];
const TABLE_TYPES: Record<TableFormat, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
};

interface Kind {
  readonly path: string;
  readonly contentType: string;
  readonly mutated: (isLarge: boolean) => Buffer;
  /** Of the answer, unless it is a table. */
  readonly schema?: z.ZodType;
}

const jsonKind = (path: string, schema: z.ZodType, mutated: Kind['mutated']) =>
  [path, { path, contentType: 'application/json', mutated, schema }] as const;
const tableKind = (format: TableFormat) =>
  [
    format,
    {
      path: '/v1/predict/table',
      contentType: TABLE_TYPES[format],
      mutated: (isLarge: boolean) => mutatedTable(format, isLarge),
    },
  ] as const;

const RANKING = { ...FOREST_SITE, species_codes: ['PSME', 'TSHE'], native_only: false };
const KINDS: readonly (readonly [name: string, kind: Kind])[] = [
  jsonKind('/v1/predict', predictionResultSchema, mutatedSite(PREDICT_REQUEST)),
  jsonKind('/v1/predict/batch', batchResponseSchema, mutatedBatch),
  jsonKind('/v1/predict/compare', compareResponseSchema, mutatedSite(COMPARE_REQUEST)),
  jsonKind('/v1/predict/rank', rankingResponseSchema, mutatedSite(RANKING)),
  jsonKind('/v1/plan', planResponseSchema, mutatedPlan),
  ...FORMATS.map(tableKind),
];

/** Fails if an answer is neither complete nor a refusal of the body. */
function checkAnswer({ schema }: Kind, status: number, answer: Buffer, output: TableFormat) {
  if (status === 200) {
    schema?.parse(JSON.parse(answer.toString()));
    // A large one would raise the highest memory of the process.
    if (schema === undefined && answer.length < 100_000) readAnswer(answer, output);
    return 'answered';
  }
  expect([400, 422], answer.toString()).toContain(status);
  parseErrorBody(answer.toString());
  return 'refused';
}

test.each(KINDS)(
  'a damaged body of %s is answered or refused with a 4xx, and neither blocks the main thread nor keeps memory',
  async (name, kind) => {
    const usage = IS_LONG ? new ThreadUsage() : undefined;
    const seen = { answered: 0, refused: 0 };
    let [longestMs, mostBytes] = [0, 0];
    for (let round = 1; round <= amount({ short: 400, long: 10_000 }); round++) {
      const body = kind.mutated(round % LARGE_EVERY === 0);
      const before = usage?.begin() ?? 0;
      const output = FORMATS[round % FORMATS.length];
      const accept = kind.schema === undefined ? TABLE_TYPES[output] : 'application/json';
      const response = await service.post(kind.path, body, { 'content-type': kind.contentType, accept });
      const answer = Buffer.from(await response.arrayBuffer()); // throws where it is cut off
      // The first ones warm up.
      if (usage !== undefined && round >= LARGE_EVERY) {
        mostBytes = Math.max(mostBytes, usage.end() - before);
        if (usage.longestTurnMs > longestMs) longestMs = usage.longestTurnMs;
        expect(usage.longestTurnMs, body.subarray(0, 2000).toString()).toBeLessThan(MAX_TURN_MS);
        expect(mostBytes, body.subarray(0, 2000).toString()).toBeLessThan(MAX_MORE_BYTES);
      }
      seen[checkAnswer(kind, response.status, answer, output)]++;
    }
    usage?.stop();
    if (IS_LONG)
      console.log(
        `${name}: ${seen.answered} answered, ${seen.refused} refused; at most ${longestMs.toFixed(1)} ms of the main ` +
          `thread in one turn, ${(mostBytes / 2 ** 20).toFixed(1)} MiB more memory for one body`,
      );
    expect(seen.answered).toBeGreaterThan(5);
    expect(seen.refused).toBeGreaterThan(5);
    expect((await service.get('/v1/health')).status).toBe(200);
  },
);
