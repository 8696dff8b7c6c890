import { PLANTING_METHODS } from '../../src/prediction/dimensions.js';
import { seededRandom } from '../random.js';
import { planBody } from './plan-body.js';
import { readServedData } from './served-data.js';

/** A kind of requests of REQUESTS. */
export type Workload = keyof typeof REQUESTS;

const distinctBatch = { path: '/v1/predict/batch', sites: 500, recurring: false } as const;

const planned = { units: 50, species: 10 };

const read = { sites: 1, recurring: true, method: 'GET' } as const;

const rank = { path: '/v1/predict/rank', sites: 1, recurring: false } as const;

/** Sites of a request, its path, whether its sites recur, and the options of each site as JSON. POST by default. */
export const REQUESTS = {
  /** 500 sites, all distinct from request to request. */
  batch: distinctBatch,
  /** 500 of RECURRING_SITES sites, some of which recur much more often than others. */
  'batch-repeat': { path: '/v1/predict/batch', sites: 500, recurring: true },
  /** 500 distinct sites with options. */
  'batch-adjusted': {
    ...distinctBatch,
    options:
      '"conditions":{"soil_water_capacity":150},"scenario":{"warming_c":2,"precipitation_change_percent":-10}',
  },
  'batch-explained': { ...distinctBatch, options: '"include":["explanation","site"]' },
  'batch-intervals': { ...distinctBatch, options: '"include":["intervals"]' },
  single: { path: '/v1/predict', sites: 1, recurring: false },
  compare: { path: '/v1/predict/compare', sites: 1, recurring: false },
  /** The native species and both methods. */
  rank,
  'rank-explained': { ...rank, options: '"include":["explanation","site"]' },
  'rank-intervals': { ...rank, options: '"include":["intervals"]' },
  /** 5,000 distinct sites in CSV, sent after 100 Continue. */
  table: { path: '/v1/predict/table', sites: 5000, recurring: false },
  /** 50 units with about 150 grid points, for 10 species and both methods. */
  plan: { path: '/v1/plan', sites: planned.units, recurring: true },
  surface: { ...read, path: '/v1/surfaces/PSME?max_points=5000', sites: 5000 },
  species: { ...read, path: '/v1/species' },
  coverage: { ...read, path: '/v1/coverage' },
  model: { ...read, path: '/v1/model' },
  usage: { ...read, path: '/v1/usage' },
} as const;

/** One request to each endpoint that a key opens. */
export const EACH_ENDPOINT: readonly Workload[] = [
  'single',
  'compare',
  'rank',
  'batch',
  'table',
  'plan',
  'surface',
  'species',
  'coverage',
  'model',
  'usage',
];

/** Sites, species and methods that recur in `batch-repeat`. */
const RECURRING_SITES = 20_000;

/** Requests prepared for a stream; those of distinct sites are changed before they are sent again. */
const PREPARED_BATCHES = 40;
const PREPARED_SINGLES = 2000;
const PREPARED_TABLES = 8;
const PREPARED_PLANS = 8;

/** Decimals of a coordinate: the last three change from request to request, by about 100 m. */
const DECIMALS = 6;
const CHANGED_DIGITS = 3;
const COORDINATE = new RegExp(`\\.\\d{${DECIMALS}}(?=,|})`, 'g');

const TABLE_HEADER = 'latitude,longitude,species_code,planting_method\n';

interface Prepared {
  readonly request: Buffer;
  /** Where the changing digits of each coordinate stand in the request. */
  readonly digits: readonly number[];
}

/**
 * An endless, seeded stream of whole HTTP requests. Sites lie near grid points, of all species and both methods.
 * @param dataDir where the grid and the species are
 * @returns a function that gives the next request; its bytes are valid until the next but one hundred
 */
export function requestStream(
  workload: Workload,
  dataDir: string,
  key: string,
  seed: number,
  acceptEncoding = 'identity',
): () => Buffer {
  const random = seededRandom(seed);
  const served = readServedData(dataDir);
  const { grid, codes } = served;
  const { path: url, sites, recurring } = REQUESTS[workload];
  const options = optionsOf(workload);

  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)];
  const coordinate = (degrees: number) => (degrees + (random() - 0.5) * 0.01).toFixed(DECIMALS);
  const newPlace = () => {
    const point = Math.floor(random() * grid.pointCount);
    return [coordinate(grid.latitudes[grid.row[point]]), coordinate(grid.longitudes[grid.column[point]])];
  };
  const newSite = () => {
    const [latitude, longitude] = newPlace();
    const method = workload === 'compare' ? '' : `,"planting_method":"${pick(PLANTING_METHODS)}"`;
    const planting = url === rank.path ? '' : `,"species_code":"${pick(codes)}"${method}`;
    return `{"latitude":${latitude},"longitude":${longitude}${planting}${options}}`;
  };
  const newLine = () => `${newPlace().join()},${pick(codes)},${pick(PLANTING_METHODS)}\n`;
  const list = <T>(length: number, next: () => T) => Array.from({ length }, next);
  const pool = workload === 'batch-repeat' ? list(RECURRING_SITES, newSite) : [];
  // The cube makes a tenth of the sites account for nearly half of the traffic.
  const nextSite = pool.length > 0 ? () => pool[Math.floor(random() ** 3 * pool.length)] : newSite;

  const prepared = ((): Prepared[] => {
    const post = (type: string, body: string, more = '') =>
      prepare(
        `POST ${url}`,
        key,
        `${more}accept-encoding: ${acceptEncoding}\r\ncontent-type: ${type}\r\n`,
        body,
      );
    if ('method' in REQUESTS[workload])
      return [prepare(`GET ${url}`, key, `accept-encoding: ${acceptEncoding}\r\n`, '')];
    if (workload === 'table')
      return list(PREPARED_TABLES, () =>
        post('text/csv', TABLE_HEADER + list(sites, newLine).join(''), 'expect: 100-continue\r\n'),
      );
    if (workload === 'plan')
      return list(PREPARED_PLANS, () => post('application/json', planBody(planned, served, random)));
    if (sites === 1) return list(PREPARED_SINGLES, () => post('application/json', nextSite()));
    return list(PREPARED_BATCHES, () =>
      post('application/json', `{"requests":[${list(sites, nextSite).join()}]}`),
    );
  })();
  const count = prepared.length;
  let sent = 0;
  return () => {
    const next = prepared[sent % count];
    if (!recurring && sent >= count) changeDigits(next, Math.floor(sent / count));
    sent++;
    return next.request;
  };
}

/** The options of a workload's sites, to follow their other fields. */
function optionsOf(workload: Workload): string {
  const request = REQUESTS[workload];
  return 'options' in request ? `,${request.options}` : '';
}

function prepare(requestLine: string, key: string, headers: string, body: string): Prepared {
  const head =
    `${requestLine} HTTP/1.1\r\nhost: bench\r\nx-api-key: ${key}\r\n${headers}` +
    `${body === '' ? '' : `content-length: ${body.length}\r\n`}\r\n`;
  const digits = Array.from(
    body.matchAll(COORDINATE),
    ({ index, 0: text }) => head.length + index + text.length - CHANGED_DIGITS,
  );
  return { request: Buffer.from(head + body, 'latin1'), digits };
}

/** Changes the last digits of every coordinate, so that no site was sent before. */
function changeDigits({ request, digits }: Prepared, round: number): void {
  for (let i = 0; i < digits.length; i++) {
    let value = (round * 7919 + i * 104_729) % 10 ** CHANGED_DIGITS;
    for (let at = digits[i] + CHANGED_DIGITS - 1; at >= digits[i]; at--) {
      request[at] = 48 + (value % 10);
      value = Math.floor(value / 10);
    }
  }
}
