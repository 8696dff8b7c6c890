import { afterAll, expect, test } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { IS_LONG } from '../support/length.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const LIMIT_BYTES = 1024 * 1024;
const ENTRY = JSON.stringify(PREDICT_REQUEST);

/** A body of the maximum size that repeats one unit. */
const filled = (open: string, unit: string, close: string) =>
  open + unit.repeat((LIMIT_BYTES - open.length - close.length) / unit.length) + close;
/** Members with different names. */
const keys = (count: number) => Array.from({ length: count }, (_, i) => `"${i.toString(36)}-":1`).join(',');
/** Objects that fill a body, each with a member of another name. */
const objects = Array.from({ length: 75_000 }, (_, i) => `{"${i.toString(36)}-":1}`).join(',');
const nested = (count: number) =>
  `${Array.from({ length: count }, (_, i) => `{"${i.toString(36)}":`).join('')}1${'}'.repeat(count)}`;
const batchOf = (count: number, entry: string) => `{"requests":[${Array(count).fill(entry).join(',')}]}`;
const withField = (field: string, json: string) =>
  ENTRY.replace(new RegExp(`"${field}":[^,}]*`), () => `"${field}":${json}`);

const BODIES: Readonly<Record<string, string>> = {
  'open arrays': filled('', '[', ''),
  'open objects': filled('', '{"a":', ''),
  'arrays in arrays': `{"requests":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
  'empty entries': filled('{"requests":[', '{},', '{}]}'),
  'numbers for entries': filled('{"requests":[', '1,', '1]}'),
  'many fields': `{${keys(90_000)},${ENTRY.slice(1)}`,
  'one field many times': filled('{', '"latitude":1,', ENTRY.slice(1)),
  'a coordinate of a million digits': withField('latitude', '1'.repeat(1_000_000)),
  'a species of a million letters': withField('species_code', `"${'A'.repeat(1_000_000)}"`),
  'a species of escapes': withField('species_code', `"${'\\ud800'.repeat(150_000)}"`),
  'a species of halves of keys': withField('species_code', `"${'nurse_live_'.repeat(90_000)}"`),
  'texts for species codes': filled(`${ENTRY.slice(0, -1)},"species_codes":[`, '"",', '""]}').replace(
    /"(species_code|planting_method)":[^,]*,/g,
    '',
  ),
  'many horizons': filled(`${ENTRY.slice(0, -1)},"horizons":[`, '1,', '1]}'),
  blanks: filled('', ' ', ENTRY),
  '500 misspelt species': batchOf(500, withField('species_code', '"QWERTYUI"')),
  '500 entries of many fields': batchOf(500, `{${keys(180)},${ENTRY.slice(1)}`),
  '500 entries of many wrong horizons': batchOf(
    500,
    `${ENTRY.slice(0, -1)},"horizons":[${'1,'.repeat(900)}2]}`,
  ),
  'objects of many names, ignored': `${ENTRY.slice(0, -1)},"tags":[${objects}]}`,
  'objects of many names as latitude': `{"latitude":[${objects}],${ENTRY.slice(1)}`,
  'objects of many names, nested': `{"latitude":${nested(100_000)}}`,
  'a batch whose last entry is wrong': batchOf(8000, ENTRY).replace(/}]}$/, ',"latitude":"44"}]}'),
  'names of escapes': filled('{"requests":[{', '"\\u0061":1,', '"a":1}]}'),
  'escaped names near to an option': filled('{"requests":[{', '"\\u0068orizon":1,', '"a":1}]}'),
  'index-like names': `{"x":{${Array.from({ length: 90_000 }, (_, i) => `"${i}":1`).join(',')}}}`,
  'the entries again and again': filled('{', `"requests":[${'{},'.repeat(500)}{}],`, '"a":1}'),
  'a deep scenario': `${ENTRY.slice(0, -1)},"scenario":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
  '500 entries of 180 conditions': batchOf(500, `${ENTRY.slice(0, -1)},"conditions":{${keys(180)}}}`),
  'entries beyond any batch': batchOf(9000, ENTRY),
};

/** Each body blocks the main thread while it is read: tens of milliseconds on an idle machine. */
const LONGEST_MS = 500;

const service = await serviceOfFile();
let slowest = { tookMs: 0, name: '', path: '' };
afterAll(() => {
  const { tookMs, name, path } = slowest;
  if (IS_LONG)
    console.log(
      `The slowest answer, with sending and reading it: ${Math.round(tookMs)} ms, ${name}, ${path}`,
    );
});

/** Sends a body and expects a small and clear answer. @returns how long that took */
async function send(path: string, body: string): Promise<number> {
  const startedMs = performance.now();
  const response = await service.post(path, body);
  const text = await response.text();
  const tookMs = performance.now() - startedMs;
  expect([200, 400, 422]).toContain(response.status);
  if (response.status !== 200) parseErrorBody(text);
  expect(text.length).toBeLessThan(LIMIT_BYTES);
  return tookMs;
}

test.each(Object.entries(BODIES))('%s in a body get a small and clear answer', async (name, body) => {
  expect(body.length).toBeLessThanOrEqual(LIMIT_BYTES);
  for (const path of ['/v1/predict', '/v1/predict/batch', '/v1/predict/compare', '/v1/predict/rank']) {
    const tookMs = await send(path, body);
    if (IS_LONG) expect(tookMs).toBeLessThan(LONGEST_MS);
    if (tookMs > slowest.tookMs) slowest = { tookMs, name, path };
  }
});

test('another caller is answered between costly bodies', async () => {
  const other = { 'x-api-key': (await service.issueKey('mycel')).secret };
  let isFlooded = true;
  const flood = Promise.all(
    Object.values(BODIES).map((body) =>
      service.post('/v1/predict/batch', body).then((answer) => answer.text()),
    ),
  ).finally(() => {
    isFlooded = false;
  });
  let answered = 0;
  while (isFlooded) {
    const response = await service.post('/v1/predict', PREDICT_REQUEST, other);
    expect(response.status).toBe(200);
    await response.text();
    answered++;
  }
  await flood;
  expect(answered).toBeGreaterThan(1);
});
