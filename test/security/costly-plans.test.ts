import { expect, test } from 'vitest';
import { FOREST_RING } from '../http/support/units.js';
import { parseErrorBody } from '../support/error-body.js';
import { amount, IS_LONG } from '../support/length.js';
import { serviceOfFile } from '../support/service.js';
import { ThreadUsage } from './support/thread-usage.js';

/** The largest that a plan may have by default; a thirty-second of it in the short form. */
const BYTES = amount({ short: 2 ** 18, long: 2 ** 23 - 1000 });
const MAX_TURN_MS = 50;
const MAX_MORE_BYTES = 64 * 2 ** 20;

/** A part repeated until it fills a body. */
const filled = (part: string) => part.repeat(BYTES / Buffer.byteLength(part));
const members = () => Array.from({ length: BYTES / 12 }, (_, i) => `"${i.toString(36)}-":1`).join();

const polygon = (coordinates: string) => `{"type":"Polygon","coordinates":${coordinates}}`;
const GEOMETRY = polygon(JSON.stringify([FOREST_RING]));
const feature = (geometry = GEOMETRY, id = '1', more = '') =>
  `{"type":"Feature","id":${id},"geometry":${geometry}${more}}`;
const plan = (features: string, more = '') =>
  `{"units":{"type":"FeatureCollection","features":[${features}]},"species_codes":["PSME"]${more}}`;

const BODIES: Readonly<Record<string, () => string | Buffer>> = {
  'a root of many members': () => plan(feature(), `,${members()}`),
  'a root of one member many times': () => plan(feature(), `,${filled('"horizon":5,')}"horizon":5`),
  'a feature of many members': () => plan(feature(GEOMETRY, '1', `,${members()}`)),
  'a geometry of many members': () => plan(feature(`${GEOMETRY.slice(0, -1)},${members()}}`)),
  'a position of many numbers': () => plan(feature(polygon(`[[[${filled('1,')}1]]]`))),
  'a position of arrays in arrays': () => plan(feature(polygon(`[[[${filled('[')}`))),
  'rings of nothing': () => plan(feature(polygon(`[${filled('[],')}[]]`))),
  'an id of many letters': () => plan(feature(GEOMETRY, `"${filled('x')}"`)),
  'an id of many escapes': () => plan(feature(GEOMETRY, `"${filled('\\ud800')}"`)),
  'a type of the units of many escapes': () => `{"units":{"type":"${filled('\\n')}"}}`,
  'codes of many escapes': () => plan(feature()).replace('"PSME"', `"${filled('\\n')}"`),
  'a name of many escapes': () => plan(feature(), `,"${filled('\\u0068')}":1`),
  'a property of many escapes': () =>
    plan(feature(GEOMETRY, '1', `,"properties":{"note":"${filled('\\n')}"}`)),
  'a longitude of many escapes': () => plan(feature(polygon(`[[["${filled('\\n')}",44]]]`))),
  'a longitude of many digits': () => plan(feature(polygon(`[[[${filled('1')},44]]]`))),
  'many features': () => plan(`${filled('0,')}0`),
  blanks: () => filled(' ') + plan(feature()),
  'bytes that are not UTF-8 at the end': () => Buffer.concat([Buffer.from(filled('é')), Buffer.of(0xff)]),
  'JSON that breaks off at the end': () => plan(feature(GEOMETRY, '1', `,"note":"${filled('é')}`)),
  'a word that is not JSON at the end': () => plan(`${filled('0,')}NaN`),
};

const service = await serviceOfFile({ WORKERS: '1', REQUEST_TIMEOUT_MS: '120000' });

test.each(Object.entries(BODIES))('%s in a plan gets an answer or a small error', async (name, make) => {
  const body = Buffer.from(make());
  const usage = IS_LONG ? new ThreadUsage() : undefined;
  await service.get('/v1/health');
  const before = usage?.begin() ?? 0;
  const response = await service.post('/v1/plan', body);
  const answer = await response.text();
  if (usage !== undefined) {
    const more = usage.end() - before;
    usage.stop();
    console.log(
      `${name}: ${response.status}, ${usage.longestTurnMs.toFixed(1)} ms, ${(more / 2 ** 20).toFixed(1)} MiB`,
    );
    expect.soft(usage.longestTurnMs).toBeLessThan(MAX_TURN_MS);
    expect.soft(more).toBeLessThan(MAX_MORE_BYTES);
  }
  expect([200, 400, 422], answer.slice(0, 1000)).toContain(response.status);
  if (response.status !== 200) {
    parseErrorBody(answer);
    expect(answer.length).toBeLessThan(2000);
  }
});
