import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { OrderedProcess } from '../../testing/load/ordered-process.js';
import { quantile } from '../../testing/statistics.js';
import { eventually } from '../support/eventually.js';
import { amount, IS_LONG } from '../support/length.js';
import { ServiceProcess } from '../support/service-process.js';
import { reportFigures } from './support/figures.js';
import type { FloodOrder, FloodReport } from './support/flood-process.js';
import { askHealth } from './support/health.js';
import { readMetrics } from './support/metrics.js';

const CONNECTIONS = 100;
const DURATION_MS = amount({ short: 500, long: 10_000 });
/** Limits from docs/security.md, checked in the long form only. */
const MAX_GROWTH_MB = 100;
const MAX_HEALTH_MS = 100;

const request = (line: string, headers: readonly string[] = [], body = '') =>
  [`${line} HTTP/1.1`, 'Host: test', ...headers, '', body].join('\r\n');
const NOBODYS_KEY = 'X-API-Key: nurse_live_0123456789abcdef0123456789abcdef';
const TINY_CHUNKS = '1\r\nx\r\n'.repeat(10_000);

const TILES = readdirSync(new URL('../../dist/web/assets', import.meta.url)).find((name) =>
  name.endsWith('.pmtiles'),
);

/** What strangers may send, again and again. */
const FLOODS: Readonly<Record<string, string>> = {
  'the documentation, in gzip': request('GET /docs', ['Accept-Encoding: gzip']),
  'the OpenAPI document, in br': request('GET /openapi.json', ['Accept-Encoding: br']),
  'the OpenAPI document, as it is': request('GET /openapi.json'),
  'the tiles of the map, as a range': request(`GET /assets/${TILES}`, ['Range: bytes=0-']),
  health: request('GET /v1/health'),
  'addresses where nothing is': request('GET /nothing'),
  'paths of 15,000 characters': request(`GET /${'a/'.repeat(7500)}`),
  'paths that cannot be decoded': request(`GET /${'%2'.repeat(7500)}`),
  '90 headers': request(
    'GET /v1/health',
    Array.from({ length: 90 }, (_, i) => `h${i}: x`),
  ),
  '3,900 headers': request('GET /v1/health', Array<string>(3900).fill('a:')),
  'an Accept-Encoding of 15,000 characters': request('GET /docs', [
    `Accept-Encoding: ${'a,'.repeat(7500)}gzip`,
  ]),
  'keys that nobody has': request('POST /v1/predict', [NOBODYS_KEY, 'Content-Length: 0']),
  'bodies without a key': request('POST /v1/predict', ['Content-Length: 900000'], 'x'.repeat(900_000)),
  'bodies in chunks of a byte, without a key': request(
    'POST /v1/predict',
    ['Transfer-Encoding: chunked'],
    `${TINY_CHUNKS}0\r\n\r\n`,
  ),
  'trailers without end, in bodies without a key': request(
    'POST /v1/predict',
    ['Transfer-Encoding: chunked'],
    `0\r\n${'A:\r\n'.repeat(100_000)}\r\n`,
  ),
  'requests for another protocol': request('GET /v1/health', ['Connection: Upgrade', 'Upgrade: h2c']),
  'line ends': '\r\n'.repeat(1000),
  garbage: '\0'.repeat(1000),
};

const SENT = Object.entries(FLOODS).flatMap(([name, text]) =>
  [true, false].map((reads) => [name, reads ? 'read' : 'do not read', text, reads] as const),
);

/** The floods of the short form. */
const BRIEFLY = ['the documentation, in gzip', 'bodies in chunks of a byte, without a key', 'line ends'];
const isBrief = (name: string, reads: boolean) => BRIEFLY.includes(name) && reads === (name === 'line ends');

test.each(SENT.filter(([name, , , reads]) => IS_LONG || isBrief(name, reads)))(
  'health is answered while a hundred strangers send %s without end and %s their answers, and they leave nothing behind',
  async (name, _how, text, reads) => {
    const service = new ServiceProcess();
    const { api, ops } = await service.ready();
    const port = Number(new URL(api).port);
    const flood = new OrderedProcess<FloodOrder, FloodReport>(
      new URL('./support/flood-process.ts', import.meta.url),
    );
    onTestFinished(() => flood.close());
    await askHealth(port);
    const before = await readMetrics(ops);

    let isOver = false;
    const report = flood
      .run({ port, text, connections: CONNECTIONS, durationMs: DURATION_MS, reads })
      .finally(() => {
        isOver = true;
      });
    const latenciesMs: number[] = [];
    let residentMb = before.residentMb;
    while (!isOver || latenciesMs.length === 0) {
      latenciesMs.push(await askHealth(port));
      await delay(10);
      if (latenciesMs.length % 10 === 0)
        residentMb = Math.max(residentMb, (await readMetrics(ops)).residentMb);
    }
    const { sentMb, receivedMb } = await report;
    latenciesMs.sort((a, b) => a - b);
    reportFigures(`${name}, ${reads ? 'read' : 'not read'}`, {
      'MB sent': sentMb,
      'MB received': receivedMb,
      'health asked': latenciesMs.length,
      'median ms': quantile(latenciesMs, 0.5),
      'p99 ms': quantile(latenciesMs, 0.99),
      'at most ms': latenciesMs.at(-1)!,
      'resident before, MB': before.residentMb,
      'grown by at most, MB': residentMb - before.residentMb,
    });
    if (IS_LONG) {
      expect(residentMb - before.residentMb).toBeLessThan(MAX_GROWTH_MB);
      expect(quantile(latenciesMs, 0.99)).toBeLessThan(MAX_HEALTH_MS);
    }
    // Their resources are released with the connections.
    await eventually(async () =>
      expect((await readMetrics(ops)).value('nurselog_connections')).toBeLessThanOrEqual(1),
    );
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.errors).toBe('');
  },
);
