import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FOREST_SITE } from '../../../test/support/requests.js';
import { sharedService } from '../../../test/support/service.js';
import { freePort } from '../../../testing/free-port.js';
import { createClient, NurselogError, type PlanRequest, predictAll, type Site } from '../src/index.js';

const RING = [
  [-122.05, 44.1],
  [-122.03, 44.1],
  [-122.03, 44.12],
  [-122.05, 44.12],
  [-122.05, 44.1],
];
const UNITS: PlanRequest['units'] = {
  type: 'FeatureCollection',
  features: [
    { type: 'Feature', id: 'A-17', properties: null, geometry: { type: 'Polygon', coordinates: [RING] } },
  ],
};

const SITE: Site = { ...FOREST_SITE, species_code: 'PSME', planting_method: 'manual' };

const service = await sharedService();

const clientOf = (apiKey = service.key) => createClient({ url: service.apiUrl, apiKey });

/** The error with which a call rejects. */
async function errorOf(call: Promise<unknown>): Promise<NurselogError> {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NurselogError);
  return error as NurselogError;
}

/** An answer without the fields that differ between calls. */
const lasting = (answer: object) => ({ ...answer, generated_at: undefined });

test('predict, predictBatch and compare return what the service answers', async () => {
  const client = clientOf();
  const answer = async (path: string, body: object) => (await service.post(path, body)).json();
  expect(lasting(await client.predict(SITE))).toEqual(lasting((await answer('/v1/predict', SITE)) as object));
  expect(lasting(await client.compare(SITE))).toEqual(
    lasting((await answer('/v1/predict/compare', SITE)) as object),
  );
  const asked: Site = {
    ...SITE,
    elevation_m: 700,
    scenario: { warming_c: 2 },
    include: ['explanation', 'site'],
  };
  expect(lasting(await client.predict(asked))).toEqual(
    lasting((await answer('/v1/predict', asked)) as object),
  );
  const { results, summary } = await client.predictBatch([SITE, SITE]);
  expect(summary).toEqual({ total: 2, successful: 2, failed: 0 });
  expect(results.map(lasting)).toEqual(Array(2).fill(lasting(await client.predict(SITE))));
});

test('rank and surface return what the service answers', async () => {
  const client = clientOf();
  const place = { ...FOREST_SITE, species_codes: ['PSME', 'PIPO'], native_only: false };
  const ranking = await (await service.post('/v1/predict/rank', place)).json();
  expect(lasting(await client.rank(place))).toEqual(lasting(ranking as object));
  const surface = await client.surface('PSME', {
    bbox: [-122.1, 44, -122, 44.1],
    max_points: 50,
    warming_c: 2,
  });
  const query = 'bbox=-122.1,44,-122,44.1&max_points=50&warming_c=2';
  expect(surface).toEqual(await (await service.get(`/v1/surfaces/PSME?${query}`)).json());
  expect(surface.points).toBeGreaterThan(0);
  expect((await client.surface('PSME', { max_points: 30 })).points).toBeLessThanOrEqual(30);
  // @ts-expect-error: a file is no Surface
  await expect(client.surface('PSME', { f: 'csv', max_points: 30 })).rejects.toThrow();
});

test('plan returns what the service answers', async () => {
  const request: PlanRequest = {
    units: UNITS,
    species_codes: ['PSME'],
    costs: { manual: 1, drone_seeded: 0.3 },
  };
  const plan = await clientOf().plan(request);
  expect(plan.units[0]).toMatchObject({ id: 'A-17', data_points: 9 });
  expect(lasting(plan)).toEqual(lasting((await (await service.post('/v1/plan', request)).json()) as object));
});

test.each(['species', 'coverage', 'model', 'usage'] as const)(
  '%s returns what the service answers',
  async (name) => {
    const answer = await clientOf()[name]();
    if (name === 'usage') expect(answer).toMatchObject({ tier: 'hypha', limit: null, remaining: null });
    else expect(answer).toEqual(await (await service.get(`/v1/${name}`)).json());
  },
);

test('an error has the status, code, message, details and request id of the response', async () => {
  const error = await errorOf(clientOf().predict({ ...SITE, species_code: 'QUAG' }));
  const response = await service.post('/v1/predict', { ...SITE, species_code: 'QUAG' });
  const { error: expected } = (await response.json()) as { error: object };
  expect({ code: error.code, message: error.message, details: error.details }).toEqual(expected);
  expect([error.status, error.code]).toEqual([422, 'invalid_species']);
  expect(error.requestId).toMatch(/^[\w.-]{1,128}$/);
});

test('the errors of client.http are returned with the response', async () => {
  const client = clientOf('wrong');
  const { error, response } = await client.http.GET('/v1/species');
  expect([error!.error.code, response.status]).toEqual(['invalid_api_key', 401]);
  expect(await errorOf(client.species())).toMatchObject({ status: 401, code: 'invalid_api_key' });
});

test('control characters in the message of another server do not reach the terminal', async () => {
  const body = JSON.stringify({ error: { code: 'full', message: '\u001b[2J\u009b2J\r\tall\n' } });
  const client = await clientOfOther((_, response) => response.writeHead(500).end(body));
  expect((await errorOf(client.species())).message).toBe('\ufffd[2J\ufffd2J\ufffd\tall\n');
});

test('a quota that is used up is an error at once, because it lasts until midnight', async () => {
  const client = clientOf((await service.issueKey('spore')).secret);
  const { limit } = await client.usage();
  await Promise.all(Array.from({ length: limit! }, () => client.species()));
  const error = await errorOf(client.species());
  expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', details: { tier: 'spore' } });
  expect(await client.usage()).toMatchObject({ requests_today: limit, remaining: 0 });
});

test('without a service the error is connection_failed and names the address', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const error = await errorOf(createClient({ url, apiKey: 'any', retry: { attempts: 1 } }).species());
  expect([error.code, error.status, error.requestId]).toEqual(['connection_failed', undefined, undefined]);
  expect(error.message).toContain(url);
  expect(error.message).toContain('ECONNREFUSED');
});

/** A client of another server than nurselog. @param paths that are requested are added here */
async function clientOfOther(listener: RequestListener, paths: (string | undefined)[] = []) {
  const server = createServer((request, response) => {
    paths.push(request.url);
    listener(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createClient({ url, apiKey: 'any' });
}

test.each<[string, RequestListener, number]>([
  ['a page', (_, response) => void response.end('<h1>Welcome</h1>'), 200],
  ['a page of errors', (_, response) => void response.writeHead(404).end('<h1>Nothing</h1>'), 404],
  ['a redirect', (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end(), 307],
  ['null', (_, response) => void response.end('null'), 200],
  ['a number', (_, response) => void response.end('5'), 200],
  ['a text', (_, response) => void response.end('"species"'), 200],
  ['an array', (_, response) => void response.end('[]'), 200],
])('%s in the place of the service is unexpected_response, with its status', async (_, listener, status) => {
  const paths: (string | undefined)[] = [];
  const client = await clientOfOther(listener, paths);
  const error = await errorOf(client.species());
  expect([error.code, error.status]).toEqual(['unexpected_response', status]);
  expect(paths).toEqual(['/v1/species']); // not followed, not repeated
});

test.each([
  '{"a":1}',
  '{"results":[]}',
  '{"results":[{}]}',
  '{"results":[{},null]}',
  '{"results":"ab"}',
  'null',
])(
  'the JSON %s of another server is unexpected_response for a batch of two sites, and an error of each in predictAll',
  async (body) => {
    const client = await clientOfOther((_, response) => response.end(body));
    const code = 'unexpected_response';
    expect(await errorOf(client.predictBatch([SITE, SITE]))).toMatchObject({ code, status: 200 });
    const results = await predictAll(client, [SITE, SITE]);
    expect(results).toMatchObject([
      { error: { code }, ...FOREST_SITE },
      { error: { code }, ...FOREST_SITE },
    ]);
  },
);

test('an answer that is not JSON is an error with its request id and its cause', async () => {
  const client = await clientOfOther((_, response) =>
    response.writeHead(200, { 'x-request-id': 'a-1' }).end('{"species":['),
  );
  const error = await errorOf(client.species());
  expect(error).toMatchObject({ code: 'unexpected_response', status: 200, requestId: 'a-1' });
  expect(error.cause).toBeInstanceOf(SyntaxError);
});

test('the URL and the key come from the environment by default', async () => {
  vi.stubEnv('NURSELOG_URL', service.apiUrl);
  vi.stubEnv('NURSELOG_API_KEY', service.key);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await createClient().species()).count).toBeGreaterThan(0);
});

test.each([
  [{ apiKey: 'any' }, 'NURSELOG_URL'],
  [{ url: 'http://127.0.0.1' }, 'NURSELOG_API_KEY'],
  [{ url: '127.0.0.1:8080', apiKey: 'any' }, '127.0.0.1:8080'],
  [{ url: 'localhost:8080', apiKey: 'any' }, 'localhost:8080'],
])('createClient(%o) says what is missing or wrong', (options, named) => {
  vi.stubEnv('NURSELOG_URL', undefined);
  vi.stubEnv('NURSELOG_API_KEY', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => createClient(options)).toThrow(named);
});

test.each([
  [{ url: 'http://127.0.0.1', apiKey: 'nurse_live_SECRET\nx' }, 'The API key has characters that no key has'],
  [{ url: 'http://127.0.0.1', apiKey: 'nurse_live_SECRET…' }, 'The API key has characters that no key has'],
  [{ url: 'nurse_live_SECRET', apiKey: 'http://127.0.0.1' }, 'must start with http:// or https://'],
  [{ url: 'http://me:SECRET@127.0.0.1', apiKey: 'any' }, 'must have no user name and no password'],
])('createClient(%o) is refused without its secret', (options, problem) => {
  expect(() => createClient(options)).toThrow(problem);
  expect(() => createClient(options)).not.toThrow('SECRET');
});
