import { csvOf } from '../../http/support/tables.js';
import { collection, FOREST_RING, unit } from '../../http/support/units.js';
import { COMPARE_REQUEST, FOREST_SITE, PREDICT_REQUEST } from '../../support/requests.js';

/** A request of an endpoint that counts against the quota. */
export interface EndpointRequest {
  readonly path: string;
  /** Absent for a GET. */
  readonly body?: string;
  readonly contentType: string;
  /** Whether a text is the complete answer. */
  readonly isWhole: (text: string) => boolean;
}

/** West, south, east and north of a box with a few hundred points. */
const SURFACE_BOX = '-122.2,44,-122,44.2';

/** One request for each endpoint that counts. @param sites of the batch and the table; a plan has at most ten */
export function everyEndpoint(sites: number): EndpointRequest[] {
  const units = Array.from({ length: Math.min(sites, 10) }, (_, id) => unit(id, FOREST_RING));
  const plan = { units: collection(...units), species_codes: ['PSME'] };
  return [
    post('/v1/predict', PREDICT_REQUEST, (answer) => answer.predictions.length === 3),
    post('/v1/predict/compare', COMPARE_REQUEST, (answer) => answer.method_differential.length === 3),
    post('/v1/predict/rank', FOREST_SITE, (answer) => answer.ranking.length > 1),
    post(
      '/v1/predict/batch',
      { requests: Array(sites).fill(PREDICT_REQUEST) },
      ({ summary, results }) => summary.successful === sites && results.length === sites,
    ),
    {
      path: '/v1/predict/table',
      body: csvOf(Array(sites).fill(PREDICT_REQUEST)),
      contentType: 'text/csv',
      isWhole: (text) => text.endsWith('\n') && text.split('\n').length === sites + 2,
    },
    post('/v1/plan', plan, (answer) =>
      answer.units.every(({ options }: { options: unknown[] }) => options.length === 2),
    ),
    get(`/v1/surfaces/PSME?bbox=${SURFACE_BOX}`, (answer) => answer.latitude.length === answer.points),
    get('/v1/species', (answer) => answer.species.length === answer.count),
    get('/v1/coverage', (answer) => answer.regions.length === 2),
    get('/v1/model', (answer) => answer.scores.length > 0),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: each endpoint has an answer of its own
type Check = (answer: any) => boolean;

function post(path: string, body: unknown, check: Check): EndpointRequest {
  return { ...get(path, check), body: JSON.stringify(body) };
}

function get(path: string, check: Check): EndpointRequest {
  const isWhole = (text: string) => check(JSON.parse(text));
  return { path, contentType: 'application/json', isWhole };
}
