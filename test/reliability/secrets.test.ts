import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openSocket, rawRequest, readAll } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';
import { KeysCommand } from './support/keys-command.js';

const TABLE_HEADER = 'latitude,longitude,species_code,planting_method';

/** Requests with a key in its header, and in every other place where a caller may put it. */
function requestsWith(key: string): string[] {
  const json = ['Content-Type: application/json', `X-API-Key: ${key}`];
  const post = (url: string, body: unknown, headers: readonly string[] = json) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return rawRequest(
      `POST ${url} HTTP/1.1`,
      [...headers, `Content-Length: ${Buffer.byteLength(text)}`],
      text,
    );
  };
  const get = (url: string, headers: readonly string[] = []) => rawRequest(`GET ${url} HTTP/1.1`, headers);
  const authorized = [`X-API-Key: ${key}`];
  const csv = ['Content-Type: text/csv', ...authorized];
  return [
    post('/v1/predict', PREDICT_REQUEST),
    post('/v1/predict/batch', { requests: [PREDICT_REQUEST, { species_code: key }, { [key]: key }, key] }),
    post('/v1/predict', { ...PREDICT_REQUEST, species_code: key, planting_method: key, latitude: key }),
    post('/v1/predict', { ...PREDICT_REQUEST, species_code: key }),
    post('/v1/predict', { ...PREDICT_REQUEST, species_code: `Douglas fir ${key}` }),
    post('/v1/predict', { ...PREDICT_REQUEST, planting_method: key.toUpperCase() }),
    post('/v1/predict', { ...PREDICT_REQUEST, horizons: [key] }),
    post('/v1/predict/compare', key),
    post('/v1/predict/batch', { requests: key }),
    post('/v1/predict', `{"api_key":"${key}"`),
    post('/v1/predict', PREDICT_REQUEST, [`Content-Type: ${key}`, ...authorized]),
    post('/v1/predict', PREDICT_REQUEST, [`Content-Encoding: ${key}`, ...json]),
    post(`/v1/predict/table?${key}=1`, TABLE_HEADER, csv),
    post('/v1/predict/table', `${TABLE_HEADER},${key},${key}\n`, csv),
    post('/v1/plan', { units: key, [key]: key }),
    get(`/v1/surfaces/${key}?${key}=${key}`, authorized),
    get(`/v1/surfaces/PSME?${key}=${key}&bbox=${key}`, authorized),
    get(`/v1/species?api_key=${key}`),
    get(`/v1/species?api_key=${key}`, authorized),
    get(`/v1/${key}`, authorized),
    get(`/v1/${key.toUpperCase()}`, authorized),
    get(`/v1/${encodeURIComponent(key).replaceAll('_', '%5F')}`, authorized),
    get(`/v1/${key}/%`, authorized),
    get('/v1/species', [`Authorization: Bearer ${key}`]),
    get('/v1/species', [`X-API-Key: ${key}${key}`]),
    get('/v1/species', [`X-API-Key: ${key}`, `X-API-Key: ${key}`]),
    get('/v1/species', [`X-API-Key: ${key.toUpperCase()}`]),
    get('/v1/species', [...authorized, `X-Request-Id: ${key}`]),
    get('/v1/species', [...authorized, `X-Request-Id: mine-${key}`]),
    get('/v1/species', [...authorized, `Accept-Encoding: ${key}`, `User-Agent: ${key}`]),
    get('/v1/species', [...authorized, `Expect: ${key}`]),
    rawRequest(`DELETE /v1/predict?${key} HTTP/1.1`, authorized),
    rawRequest(`${key} /v1/predict HTTP/1.1`, authorized),
    rawRequest(`CONNECT ${key}:443 HTTP/1.1`, authorized),
    `GET /v1/species HTTP/1.1\r\nHost: ${key}\r\nbroken ${key}\r\n\r\n`,
    `${key}\r\n\r\n`,
  ];
}

/** All that a service sends on a connection. */
async function exchange(api: string, request: string): Promise<string> {
  const socket = await openSocket(api);
  socket.write(request);
  return (await readAll(socket)).text;
}

test('a key is in no log line, answer, metric or stored byte, wherever a caller put it', async () => {
  const folder = temporaryFolder();
  const DATABASE_URL = `sqlite:${path.join(folder, 'keys.db')}`;
  const keys = new KeysCommand(DATABASE_URL);
  const active = await keys.issue();
  const revoked = await keys.issue();
  await keys.run('revoke', revoked.id);
  const neverIssued = `nurse_live_${'0123456789abcdef'.repeat(2)}`;
  const service = new ServiceProcess({ DATABASE_URL, LOG_LEVEL: 'trace' });
  const { api, ops } = await service.ready();

  const secrets = [active.key, revoked.key, neverIssued];
  const said = new Map<string, string>();
  for (const key of secrets)
    for (const request of requestsWith(key)) {
      said.set(`the answer to ${request}`, await exchange(api, request));
      said.set(`the operators' answer to ${request}`, await exchange(ops, request));
    }
  said.set('the metrics', await exchange(ops, rawRequest('GET /metrics HTTP/1.1', [])));
  for (const file of readdirSync(folder))
    said.set(`the file ${file}`, readFileSync(path.join(folder, file), 'latin1'));
  await service.stop();
  for (const file of readdirSync(folder))
    said.set(`the file ${file} at the end`, readFileSync(path.join(folder, file), 'latin1'));
  service.output.forEach((line, index) => {
    said.set(`line ${index} of the log`, line);
  });
  said.set('standard error', service.errors);

  // What is not HTTP has no line.
  expect(service.output.length).toBeGreaterThan(20 * secrets.length);
  const digits = secrets.map((key) => key.slice(-32));
  const exposed = [...said].filter(([, text]) => digits.some((of) => text.toLowerCase().includes(of)));
  expect(exposed).toEqual([]);
});
