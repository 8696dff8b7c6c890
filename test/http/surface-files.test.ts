import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../testing/random.js';
import { expectError } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { amount } from '../support/length.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile, startTestService } from '../support/service.js';

const CASCADES = 'bbox=-122.3,44,-122,44.2';
/** By the word of `f`. */
const CONTENT_TYPES = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json',
  csv: 'text/csv; charset=utf-8',
  arrow: 'application/vnd.apache.arrow.stream',
  tif: 'image/tiff; application=geotiff; profile=cloud-optimized',
};
const FORMATS = Object.keys(CONTENT_TYPES) as (keyof typeof CONTENT_TYPES)[];
/** More points than a file of text may have. */
const LARGE = 'max_points=500000&bbox=-123.8,43,-122.3,44.5';
/** More than a second of CPU. */
const WHOLE_GRID = 'max_points=500000';
const FILES = ['geojson', 'csv', 'tif'] as const;

const service = await serviceOfFile({ REQUEST_TIMEOUT_MS: '120000' });

const urlOf = (query: string) => `/v1/surfaces/PSME?${query}`;
const get = (query: string, headers: Record<string, string> = {}) => service.get(urlOf(query), headers);
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

/** Its own process, since the next request must arrive while the service is still writing. */
const ONE_AFTER_THE_OTHER = `
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const [url, key] = process.argv.slice(1);
  (async () => {
    for (let turn = 0; turn < 30; turn++) {
      const request = http.get(url, { agent, headers: { 'x-api-key': key } });
      const [response] = await events.once(request, 'response');
      for await (const _ of response);
      if (response.statusCode !== 200 || request.reusedSocket !== turn > 0) throw new Error('turn ' + turn);
    }
    agent.destroy();
  })();`;

test('a connection has one large answer after the other', async () => {
  const url = service.apiUrl + urlOf(`${WHOLE_GRID}&f=tif`);
  await promisify(execFile)(process.execPath, ['-e', ONE_AFTER_THE_OTHER, url, service.key]);
});

test.each(FORMATS)('f=%s overrides Accept and gives the answer for that media type', async (format) => {
  const other = format === 'csv' ? 'application/json' : 'text/csv;q=0, text/html';
  const response = await get(`${CASCADES}&f=${format}`, { accept: other });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(CONTENT_TYPES[format]);
  expect(response.headers.get('vary') ?? '').not.toMatch(/accept(?!-)/);
  const accepted = await get(CASCADES, { accept: CONTENT_TYPES[format] });
  expect(accepted.headers.get('content-type')).toBe(CONTENT_TYPES[format]);
  expect(accepted.headers.get('vary')).toMatch(/^accept\b/);
  expect(accepted.headers.get('etag')).toBe(response.headers.get('etag'));
  expect((await bytesOf(response)).equals(await bytesOf(accepted))).toBe(true);
});

const FORMAT = 'f must be one of json, geojson, csv, arrow, tif, not ';

test.each([
  ['f=TIF', 'f', `${FORMAT}"TIF"`],
  ['f=toString', 'f', `${FORMAT}"toString"`],
  ['f=tif&include=site', 'include', 'include can only list intervals, separated by commas, not "site"'],
  ['f=csv&include=intervals', 'include', 'include=intervals can only be had with f=tif'],
  ['include=intervals', 'include', 'include=intervals can only be had with f=tif'],
  [
    'f=tif&bbox=0,0,1,1',
    'bbox',
    'bbox has no cell of the grid within it, and a GeoTIFF needs one: choose a larger one',
  ],
  [
    `f=tif&${CASCADES}&max_points=100`,
    'max_points',
    'a GeoTIFF has all points of its bbox, and these are more than max_points, 100: choose a smaller bbox, ' +
      'larger max_points where the tier allows it, or another format',
  ],
])('the query %s is an invalid request that says so', async (query, path, message) => {
  const error = await expectError(await get(query), 422, 'invalid_request');
  expect(error).toMatchObject({ details: { issues: [{ path, message }] } });
});

test('a GeoTIFF has at most as many points as the tier allows, by default, too', async () => {
  const key = { 'x-api-key': (await service.issueKey('spore')).secret };
  const { message } = await expectError(await get('f=tif', key), 422, 'invalid_request');
  expect(message).toContain('more than max_points, 20000');
  expect((await get(`f=tif&${CASCADES}`, key)).status).toBe(200);
});

/** Headers of an answer that the same request gets again. */
function lastingHeaders({ headers }: Response): Record<string, string> {
  const changing = ['date', 'x-request-id', 'server-timing', 'connection', 'keep-alive'];
  return Object.fromEntries([...headers].filter(([name]) => !changing.includes(name)));
}

const HEADS = FORMATS.flatMap((format) =>
  ['identity', 'gzip'].flatMap((coding) =>
    [CASCADES, LARGE, 'bbox=-122.1,44,-122.1,44', 'max_points=0'].flatMap((query) =>
      format === 'tif' && query === LARGE ? [] : [[format, coding, query] as const],
    ),
  ),
);

test.each(HEADS)('HEAD for %s, coded as %s, of %s has the status and headers of GET', async (...request) => {
  const [format, coding, query] = request;
  const url = service.apiUrl + urlOf(`${query}&f=${format}`);
  const headers = { 'x-api-key': service.key, 'accept-encoding': coding };
  const head = await fetch(url, { method: 'HEAD', headers });
  const whole = await fetch(url, { headers });
  const body = await whole.arrayBuffer();
  expect(await head.text()).toBe('');
  expect(head.status).toBe(whole.status);
  const { 'transfer-encoding': isChunked, ...expected } = lastingHeaders(whole);
  expect(lastingHeaders(head)).toEqual(expected);
  const isCoded = whole.headers.has('content-encoding');
  if (isChunked === undefined && !isCoded)
    expect(Number(whole.headers.get('content-length'))).toBe(body.byteLength);
  const etag = head.headers.get('etag');
  if (etag === null) return;
  const unchanged = await fetch(url, { method: 'HEAD', headers: { ...headers, 'if-none-match': etag } });
  expect([unchanged.status, unchanged.headers.get('content-length')]).toEqual([304, null]);
  expect(unchanged.headers.get('vary')).toBe(whole.headers.get('vary'));
});

test.each(FILES)(
  'several simultaneous first requests for a %s predict it once, and all get the same bytes',
  async (format) => {
    const query = `bbox=-121.9,43.7,-121.5,44.1&f=${format}`;
    const responses = await Promise.all(Array.from({ length: 4 }, () => get(query)));
    expect(responses.map(({ status }) => status)).toEqual(Array(4).fill(200));
    expect(responses.filter(({ headers }) => headers.has('server-timing'))).toHaveLength(1);
    const [first, ...others] = await Promise.all(responses.map(bytesOf));
    for (const other of others) expect(other.equals(first)).toBe(true);
  },
);

test.each(FILES)('any range of %s is that slice of the whole', async (format) => {
  const query = `${CASCADES}&f=${format}`;
  const response = await get(query, { 'accept-encoding': 'identity' });
  const whole = await bytesOf(response);
  const { length } = whole;
  expect(response.headers.get('accept-ranges')).toBe('bytes');
  expect(response.headers.get('content-length')).toBe(String(length));
  const random = seededRandom(length);
  const below = (limit: number) => Math.floor(random() * limit);
  const ranges = Array.from({ length: amount({ short: 60, long: 2000 }) }, (_, i) => {
    const from = below(length);
    const last = i % 4 === 0 ? from + below(2 * length) : Math.min(from + below(3000), length - 1);
    const forms = [`${from}-${last}`, `${from}-`, `-${below(2 * length) + 1}`];
    return forms[i % forms.length];
  });
  for (const range of [...ranges, '0-0', `${length - 1}-`, `0-${'9'.repeat(400)}`, `-${'9'.repeat(400)}`]) {
    const [first, last] = range.split('-');
    const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
    const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
    // A range counts the uncompressed bytes, whatever coding the caller accepts.
    const part = await get(query, { range: `bytes=${range}`, 'accept-encoding': 'gzip' });
    expect(part.status, range).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${from}-${end - 1}/${length}`);
    expect(part.headers.get('etag')).toBe(response.headers.get('etag'));
    expect(part.headers.has('content-encoding')).toBe(false);
    expect((await bytesOf(part)).equals(whole.subarray(from, end)), range).toBe(true);
  }
});

test.each(['bytes=0-1,4-5', 'bytes=5-4', 'bytes=-', 'bytes=a-b', 'bytes=1', 'lines=0-1', 'bytes=0 - 1', ''])(
  'the range "%s" is ignored',
  async (range) => {
    for (const format of FILES) {
      const query = `${CASCADES}&f=${format}`;
      const identity = await get(query, { 'accept-encoding': 'identity' });
      const response = await get(query, { range, 'accept-encoding': 'gzip' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-encoding')).toBeNull();
      expect(response.headers.get('etag')).toBe(identity.headers.get('etag'));
      expect((await bytesOf(response)).equals(await bytesOf(identity))).toBe(true);
    }
  },
);

test.each(FILES)('a range beyond the end of %s is 416, and the error says how long it is', async (format) => {
  const query = `${CASCADES}&f=${format}`;
  const length = (await bytesOf(await get(query))).length;
  for (const range of [`${length}-`, `${length}-${length + 5}`, '-0', `${'9'.repeat(400)}-`]) {
    const response = await get(query, { range: `bytes=${range}` });
    expect(response.headers.get('content-range')).toBe(`bytes */${length}`);
    const { message } = await expectError(response, 416, 'invalid_request');
    expect(message).toContain(`it has ${length} bytes`);
  }
});

test.each(FILES)('If-Range with the ETag gives a range of %s, otherwise the whole file', async (format) => {
  const query = `${CASCADES}&f=${format}`;
  const etag = (await get(query, { 'accept-encoding': 'identity' })).headers.get('etag')!;
  const date = new Date().toUTCString();
  for (const [ifRange, status] of [
    [etag, 206],
    ['"x"', 200],
    [`W/${etag}`, 200],
    [date, 200],
  ] as const) {
    const response = await get(query, { range: 'bytes=0-9', 'if-range': ifRange });
    expect(response.status, ifRange).toBe(status);
    await response.arrayBuffer();
  }
  const unchanged = await get(query, { range: 'bytes=0-9', 'if-none-match': etag });
  expect(unchanged.status).toBe(304);
});

test.each(['json', 'arrow', 'csv'])('a Range of %s that is sent in chunks is ignored', async (format) => {
  const query = format === 'csv' ? LARGE : CASCADES;
  const coding = { range: 'bytes=0-9', 'accept-encoding': 'gzip' };
  const response = await get(`${query}&f=${format}`, coding);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.has('accept-ranges')).toBe(false);
  await response.arrayBuffer();
});

test('a file is predicted once, for all who ask for it or a range of it, and each request counts', async () => {
  const { secret } = await service.issueKey('spore');
  const key = { 'x-api-key': secret };
  const query = 'f=tif&bbox=-123,45,-122.8,45.2&warming_c=0.25';
  const isPredicted = ({ headers }: Response) => headers.has('server-timing');
  const first = await get(query, key);
  expect(isPredicted(first)).toBe(true);
  const etag = first.headers.get('etag')!;
  const again = [
    await get(query),
    await get(query, { ...key, range: 'bytes=0-9' }),
    await get(`${query}&max_points=20000`, { ...key, range: 'bytes=10-19' }),
    await get(query, { ...key, range: 'bytes=99999999-' }),
    await get(query, { ...key, 'if-none-match': etag }),
    await fetch(service.apiUrl + urlOf(query), { method: 'HEAD', headers: key }),
  ];
  expect(again.map(({ status }) => status)).toEqual([200, 206, 206, 416, 304, 200]);
  expect(again.map(isPredicted)).toEqual(again.map(() => false));
  const usage = await (await service.get('/v1/usage', key)).json();
  expect(usage).toMatchObject({ requests_today: 6 });
  expect(isPredicted(await get(`${query}5`))).toBe(true);
});

test('a surface that takes longer than the request timeout is a 503 that says so, and the next one is answered', async () => {
  const impatient = await startTestService({ REQUEST_TIMEOUT_MS: '400' });
  onTestFinished(() => impatient.stop());
  const response = await impatient.get(urlOf(WHOLE_GRID));
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.has('etag')).toBe(false);
  const { message } = await expectError(response, 503, 'overloaded');
  expect(message).toContain('timed out after 400 ms');
  expect((await impatient.get('/v1/health')).status).toBe(200);
});

test('a file whose callers have given up is completed, and kept until they ask again', async () => {
  const impatient = await startTestService({ REQUEST_TIMEOUT_MS: '400' });
  onTestFinished(() => impatient.stop());
  const whole = urlOf(`${WHOLE_GRID}&f=tif&warming_c=0.75`); // in no cache
  await expectError(await impatient.get(whole), 503, 'overloaded');
  const made = await eventually(async () => {
    const response = await impatient.get(whole);
    expect(response.status).toBe(200);
    expect(response.headers.has('server-timing')).toBe(false); // by a request before
    return bytesOf(response);
  });
  expect(made.equals(await bytesOf(await service.get(whole)))).toBe(true);
});

test('other keys and the same key have their turns while a large surface is predicted', async () => {
  const other = { 'x-api-key': (await service.issueKey('hypha')).secret };
  const ended: string[] = [];
  const surface = get(WHOLE_GRID, { accept: 'text/csv' }).then((response) => {
    ended.push('surface');
    return response;
  });
  const requests = Array(500).fill(PREDICT_REQUEST);
  for (const headers of [other, {}]) {
    const batch = await service.post('/v1/predict/batch', { requests }, headers);
    expect(((await batch.json()) as { summary: object }).summary).toMatchObject({ successful: 500 });
    ended.push('batch');
  }
  const lines = (await (await surface).text()).split('\r\n');
  expect(ended).toEqual(['batch', 'batch', 'surface']);
  expect(lines.length).toBeGreaterThan(400_000);
});

test('callers who hang up while a surface is predicted or sent do not affect the service', async () => {
  const request = async (query: string) => {
    const socket = await openSocket(service.apiUrl);
    socket.write(rawRequest(`GET ${urlOf(query)} HTTP/1.1`, [`X-API-Key: ${service.key}`]));
    return socket;
  };
  (await request(WHOLE_GRID)).destroy();
  const reading = await request('max_points=20000');
  await once(reading, 'data');
  reading.destroy();
  const response = await get('max_points=100');
  expect(((await response.json()) as { points: number }).points).toBeGreaterThan(50);
});
