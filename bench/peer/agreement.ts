import { z } from 'zod';
import {
  batchResponseSchema,
  errorResponseSchema,
  predictionResultSchema,
} from '../../src/http/response/schemas.js';
import { REQUESTS, requestStream, type Workload } from '../../testing/load/requests.js';
import type { Server } from '../servers/server.js';

const SEED = 20_240_607;
const SINGLES = 5;

/** Magnitudes and probabilities have 4 decimals; two runtimes may round the last one differently. */
const TOLERANCE = 1e-4;
/** The same for distances, which have 3. */
const TOLERANCE_KM = 1e-3;
/** Share of sites whose last factor may differ because of a tie; a larger share indicates an error. */
const MAX_OTHER_LAST = 0.01;
/** Rounding error of a difference of decimals in binary. */
const SLACK = 1e-9;

/** Invalid requests, each for a different reason. */
const REFUSED = [
  { latitude: 40, longitude: -122, species_code: 'PSME', planting_method: 'manual' },
  { latitude: 45.52, longitude: -122.66, species_code: 'PSME', planting_method: 'manual' },
  { latitude: 44.12, longitude: -122.03, species_code: 'NONE', planting_method: 'manual' },
  { latitude: 44.12, longitude: -122.03, species_code: 'PSME', planting_method: 'by hand' },
  { latitude: 91, longitude: -122.03, species_code: 'PSME', planting_method: 'manual' },
];

type Result = z.infer<typeof predictionResultSchema>;
type Prediction = Result['predictions'][number];

/**
 * Sends both servers the same seeded requests and compares their answers.
 * @returns how many sites were compared
 * @throws Error naming the first difference
 */
export async function checkAgreement(nurselog: Server, peer: Server, dataDir: string): Promise<number> {
  const seeded = (workload: Workload) => {
    const next = requestStream(workload, dataDir, nurselog.key, SEED);
    return () => JSON.parse(next().toString('latin1').split('\r\n\r\n')[1]) as unknown;
  };
  const { requests } = seeded('batch')() as { requests: unknown[] };
  const ask = (path: string, body: unknown) =>
    Promise.all([post(nurselog, path, body), post(peer, path, body)]);

  const batches = await ask(REQUESTS.batch.path, {
    requests: [...REFUSED, ...requests.slice(REFUSED.length)],
  });
  const [ours, theirs] = batches.map((answer) => batchResponseSchema.parse(answer.body));
  same('summary', JSON.stringify(ours!.summary), JSON.stringify(theirs!.summary));
  const otherLast = ours!.results.map((result, index) =>
    sameResult(`entry ${index}`, result, theirs!.results[index]),
  );
  const share = otherLast.reduce((sum, count) => sum + count, 0) / ours!.results.length;
  if (share > MAX_OTHER_LAST)
    throw new Error(
      `the peer's answers differ: the last factor is another at a share of ${share} of the sites`,
    );

  const nextSingle = seeded('single');
  const singles = [...Array.from({ length: SINGLES }, nextSingle), ...REFUSED];
  const singleSchema = z.union([predictionResultSchema, errorResponseSchema]);
  for (const [index, request] of singles.entries()) {
    const [our, their] = await ask(REQUESTS.single.path, request);
    same(`status of single ${index}`, our.status, their.status);
    sameResult(`single ${index}`, singleSchema.parse(our.body), singleSchema.parse(their.body));
  }
  return ours!.results.length + singles.length;
}

async function post({ port, key }: Server, path: string, body: unknown) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

type Answer = Result | { readonly error: { readonly code: string } };

/**
 * Of errors only the codes are compared: the messages differ.
 * @returns how many predictions have another last factor
 */
function sameResult(where: string, ours: Answer, theirs: Answer): number {
  const code = (answer: Answer) => ('error' in answer ? answer.error.code : 'answered');
  same(`outcome of ${where}`, code(ours), code(theirs));
  if ('error' in ours || 'error' in theirs) return 0;
  const unlike = ({ site, predictions, generated_at, ...like }: Result) =>
    JSON.stringify({ ...like, site: { ...site, match_distance_km: undefined } });
  same(where, unlike(ours), unlike(theirs));
  near(`distance of ${where}`, ours.site.match_distance_km, theirs.site.match_distance_km, TOLERANCE_KM);
  same(`horizons of ${where}`, ours.predictions.length, theirs.predictions.length);
  return ours.predictions.filter((prediction, index) =>
    samePrediction(where, prediction, theirs.predictions[index]),
  ).length;
}

/** @returns whether the last factors differ: one may tie with another that is not reported */
function samePrediction(where: string, ours: Prediction, theirs: Prediction): boolean {
  const last = ours.risk_factors.at(-1)!;
  same(`horizon of ${where}`, ours.horizon_years, theirs.horizon_years);
  near(`survival of ${where}`, ours.survival_probability, theirs.survival_probability);
  ours.risk_factors.forEach((factor, rank) => {
    const other = theirs.risk_factors[rank];
    near(`magnitude ${rank} of ${where}`, factor.magnitude, other.magnitude);
    // Factors that tie within the tolerance may be in either order.
    const tied = ours.risk_factors.filter(({ magnitude }) => isNear(magnitude, factor.magnitude)).length > 1;
    if (!tied && factor !== last) same(`factor ${rank} of ${where}`, signed(factor), signed(other));
  });
  return signed(last) !== signed(theirs.risk_factors.at(-1)!);
}

const signed = ({ factor, impact }: Prediction['risk_factors'][number]) => `${factor}, ${impact}`;

const isNear = (a: number, b: number, tolerance = TOLERANCE) => Math.abs(a - b) <= tolerance + SLACK;

function near(what: string, ours: number, theirs: number, tolerance?: number): void {
  if (!isNear(ours, theirs, tolerance)) differ(what, ours, theirs);
}

function same(what: string, ours: unknown, theirs: unknown): void {
  if (ours !== theirs) differ(what, ours, theirs);
}

function differ(what: string, ours: unknown, theirs: unknown): never {
  throw new Error(`the peer's answers differ: ${what} is ${ours} from nurselog, ${theirs} from the peer`);
}
