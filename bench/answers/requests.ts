import { gzipSync } from 'node:zlib';
import {
  Dictionary,
  Float32,
  Float64,
  Int32,
  LargeUtf8,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import Papa from 'papaparse';
import { planBody } from '../../testing/load/plan-body.js';
import { readServedData } from '../../testing/load/served-data.js';
import { seededRandom } from '../../testing/random.js';

/** A request that every build should answer in the same way. */
export interface ComparedRequest {
  /** What the report counts it under. */
  readonly category: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Whether it is sent without a key. */
  readonly isAnonymous?: boolean;
}

type Json = Record<string, unknown>;

const JSON_HEADERS = { 'content-type': 'application/json' };
const ARROW = 'application/vnd.apache.arrow.stream';
const TABLE_TYPES = ['text/csv', 'application/x-ndjson', ARROW] as const;
const SURFACE_TYPES = ['application/json', 'application/geo+json', 'text/csv', ARROW] as const;

/** Values that a field may have by mistake. */
const WRONG = [null, true, '', '44.12', 'psme', [], [1, 'x'], {}, { a: 1 }, -1, 0, 91, 1e300, 1e21, 44.12];

/** Requests from a seed: all endpoints, formats, options and kinds of errors. @param dataDir where the grid is */
export function comparedRequests(dataDir: string, seed: number): ComparedRequest[] {
  const random = seededRandom(seed);
  const served = readServedData(dataDir);
  const { grid, codes } = served;
  const below = (limit: number) => Math.floor(random() * limit);
  const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)];
  const chance = (share: number) => random() < share;

  const place = () => {
    const point = below(grid.pointCount);
    const shift = () => (chance(0.3) ? 0 : (random() - 0.5) * oneOf([0.01, 0.01, 0.2, 3]));
    const round = (degrees: number) => Number(degrees.toFixed(oneOf([2, 5, 6, 14])));
    return {
      latitude: round(grid.latitudes[grid.row[point]] + shift()),
      longitude: round(grid.longitudes[grid.column[point]] + shift()),
    };
  };
  const options = (): Json => ({
    ...(chance(0.2) && { horizons: oneOf([[1], [5, 1], [3, 3], [1, 3, 5]]) }),
    ...(chance(0.2) && { elevation_m: below(2500) }),
    ...(chance(0.2) && { scenario: oneOf([{ warming_c: 2 }, { precipitation_change_percent: -20 }, {}]) }),
    ...(chance(0.2) && { conditions: oneOf([{ soil_water_capacity: 150 }, { vpd_max: 18 }, {}]) }),
    ...(chance(0.3) && { include: oneOf([['intervals'], ['explanation', 'site'], ['site', 'site'], []]) }),
    ...(chance(0.2) && { id: 'plot 7', note: { nested: [1, 2] } }),
  });
  const entry = (): Json => ({
    ...place(),
    species_code: chance(0.03) ? oneOf(['QUAG', 'Douglas-fir', 'x']) : oneOf(codes),
    planting_method: chance(0.03) ? 'drone' : oneOf(['manual', 'drone_seeded']),
    ...options(),
  });
  const mistaken = (object: Json): Json => {
    const changed = { ...object };
    const name = oneOf([
      ...Object.keys(object),
      'horizons',
      'include',
      'conditions',
      'scenario',
      'elevation_m',
    ]);
    const kind = random();
    if (kind < 0.2) delete changed[name];
    else if (kind < 0.4) changed[oneOf(['horizon', 'includes', 'elevation', 'senario'])] = 1;
    else changed[name] = oneOf(WRONG);
    return changed;
  };
  const site = () => (chance(0.3) ? mistaken(entry()) : entry());
  const ranking = (): Json => {
    const { species_code: _code, planting_method: _method, ...rest } = entry();
    const body = {
      ...rest,
      ...(chance(0.5) && { species_codes: [oneOf(codes), oneOf(codes), ...(chance(0.1) ? ['XXXX'] : [])] }),
      ...(chance(0.3) && { planting_methods: oneOf([['manual'], ['drone_seeded', 'manual'], ['drone']]) }),
      ...(chance(0.5) && { native_only: chance(0.5) }),
    };
    return chance(0.2) ? mistaken(body) : body;
  };

  const requests: ComparedRequest[] = [];
  const post = (category: string, url: string, body: unknown, headers: Record<string, string> = {}) =>
    requests.push({
      category,
      method: 'POST',
      path: url,
      headers: { ...JSON_HEADERS, ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  const get = (category: string, url: string, headers: Record<string, string> = {}, isAnonymous = false) =>
    requests.push({ category, method: 'GET', path: url, headers, isAnonymous });
  const times = (count: number, make: (index: number) => void) => {
    for (let index = 0; index < count; index++) make(index);
  };

  times(800, () => post('predict', '/v1/predict', site()));
  times(400, () => post('compare', '/v1/predict/compare', site()));
  times(400, () => post('rank', '/v1/predict/rank', ranking()));
  times(300, (index) => {
    const size = oneOf([0, 1, 2, 10, 40, index % 50 === 0 ? 500 : 5, index % 90 === 0 ? 501 : 3]);
    post('batch', '/v1/predict/batch', { requests: Array.from({ length: size }, site) });
  });

  const damaged = (text: string) => {
    const at = below(text.length);
    if (chance(0.2)) return text.slice(0, at);
    const byte = oneOf(['', '"', ',', '}', ']', '\\', '\u0000', 'NaN', '1e999', 'é', '[', '-', '0']);
    return text.slice(0, at) + byte + text.slice(at + (chance(0.5) ? 1 : 0));
  };
  times(400, () =>
    post(
      'damaged JSON',
      oneOf(['/v1/predict', '/v1/predict/batch']),
      damaged(JSON.stringify(chance(0.5) ? entry() : { requests: [entry(), entry()] })),
    ),
  );
  for (const body of [
    '',
    'null',
    '[]',
    '"x"',
    '1',
    '{}',
    '{"requests":1}',
    '\ufeff{}',
    '{"requests":[1,null,[]]}',
  ])
    for (const url of ['/v1/predict', '/v1/predict/batch', '/v1/predict/rank', '/v1/plan'])
      post('other JSON', url, body);

  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const { latitude, longitude, species_code, planting_method } = entry();
      return {
        plot: oneOf(['A-1', 'é "quoted", x', '', `${index}`]),
        latitude: latitude as number,
        longitude: longitude as number,
        species_code: species_code as string,
        planting_method: planting_method as string,
        elevation_m: chance(0.5) ? below(3000) : null,
        size: index / 3,
      };
    });
  const tableBody = (type: string, sites: ReturnType<typeof rows>): Buffer => {
    if (type === 'text/csv')
      return Buffer.from(`${Papa.unparse(sites, { newline: oneOf(['\n', '\r\n']) })}\n`);
    if (type !== ARROW) return Buffer.from(sites.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const column = <Name extends keyof (typeof sites)[number]>(name: Name) => sites.map((row) => row[name]);
    const text = chance(0.5) ? new Dictionary(new Utf8(), new Int32()) : new Utf8();
    return Buffer.from(
      tableToIPC(
        new Table({
          plot: vectorFromArray(column('plot'), chance(0.5) ? new Utf8() : new LargeUtf8()),
          latitude: vectorFromArray(column('latitude'), new Float64()),
          longitude: vectorFromArray(column('longitude'), new Float64()),
          species_code: vectorFromArray(column('species_code'), text as Utf8),
          planting_method: vectorFromArray(column('planting_method'), new Utf8()),
          elevation_m: vectorFromArray(column('elevation_m'), new Float64()),
          size: vectorFromArray(column('size'), new Float32()),
        }),
        'stream',
      ),
    );
  };
  times(250, (index) => {
    const type = oneOf(TABLE_TYPES);
    const accept = oneOf(TABLE_TYPES);
    let body = tableBody(type, rows(oneOf([1, 3, 50, 400, index % 40 === 0 ? 5000 : 7])));
    if (chance(0.25)) {
      body = Buffer.from(body);
      body[below(body.length)] = oneOf([0, 0x22, 0x2c, 0x0a, 0x41, 0x39, 0xff]);
    }
    const query = oneOf([
      '',
      '',
      '?horizons=1,5',
      '?include=intervals',
      '?warming_c=2',
      '?horizons=2',
      '?x=1',
    ]);
    if (type === 'text/csv' && chance(0.1)) {
      const wrong = oneOf(['latitude,latitude', 'lat,longitude', 'survival_1,longitude']);
      body = Buffer.from(body.toString('latin1').replace('latitude,longitude', wrong), 'latin1');
    }
    const encoding: Record<string, string> = chance(0.2) ? { 'content-encoding': 'gzip' } : {};
    const sent = 'content-encoding' in encoding ? gzipSync(body) : body;
    const headers = { 'content-type': type, accept, ...encoding };
    post(`table ${type} to ${accept}`, `/v1/predict/table${query}`, sent, headers);
  });

  times(80, () => {
    const plan = JSON.parse(
      planBody({ units: oneOf([1, 2, 6]), species: oneOf([1, 3]) }, served, random),
    ) as Json & { units: { features: { geometry: { coordinates: number[][][] } }[] } };
    const [ring] = plan.units.features[0].geometry.coordinates;
    if (chance(0.2)) ring[2] = [ring[9][0], ring[9][1]];
    if (chance(0.2)) {
      const polygons = plan.units.features.map(({ geometry }) => geometry.coordinates);
      Object.assign(plan.units.features[0].geometry, { type: 'MultiPolygon', coordinates: polygons });
    }
    if (chance(0.1)) ring.pop();
    if (chance(0.1)) ring[1] = oneOf([[0], ['x', 1], [200, 44], [44, -122]]) as number[];
    if (chance(0.1)) Object.assign(plan.units.features[0], { id: oneOf([null, 'A', 7.5, {}]) });
    if (chance(0.2)) Object.assign(plan, { scenario: { warming_c: 1 }, horizon: oneOf([1, 3, 5, 2]) });
    post('plan', '/v1/plan', chance(0.2) ? mistaken(plan) : plan);
  });

  times(120, () => {
    const { latitude, longitude } = place();
    const box = [longitude, latitude, longitude + random(), latitude + random() / 2].map((d) => d.toFixed(3));
    const query = [
      ...(chance(0.8) ? [`bbox=${box.join()}`] : ['max_points=200']),
      ...(chance(0.4) ? [`max_points=${oneOf([1, 50, 3000, 0, 'x'])}`] : []),
      ...(chance(0.2) ? ['warming_c=2'] : []),
      ...(chance(0.05) ? ['bbox=1,2,3'] : []),
    ].join('&');
    const accept = oneOf([...SURFACE_TYPES, '*/*', 'text/html']);
    const url = `/v1/surfaces/${chance(0.05) ? 'XXXX' : oneOf(codes)}?${query}`;
    get(`surface ${accept}`, url, { accept, ...(chance(0.1) && { 'if-none-match': '*' }) });
  });

  for (const url of ['/v1/species', '/v1/coverage', '/v1/model', '/v1/health', '/', '/docs', '/openapi.json'])
    get('other', url, {}, !url.startsWith('/v1') || url === '/v1/health');
  get('other', '/v1/usage');
  for (const key of ['x', `nurse_live_${'0'.repeat(32)}`]) {
    get('other', '/v1/usage', { 'x-api-key': key });
    post('other', '/v1/predict', entry(), { 'x-api-key': key });
  }
  for (const url of ['/v1/species', '/v1/nothing', '/v1/predict', '/v1/surfaces', '/%zz']) {
    get('other', url);
    get('other', url, {}, true);
    requests.push({ category: 'other', method: 'DELETE', path: url, headers: {} });
  }
  for (const type of ['text/plain', 'application/json; charset=utf-8', 'application/xml'])
    post('other', '/v1/predict', entry(), { 'content-type': type });
  post('other', '/v1/predict', 'x'.repeat(1_100_000));
  post('other', '/v1/predict', entry(), { 'content-encoding': 'gzip' });
  return requests;
}
