import { expect, test } from 'vitest';
import { ServiceProcess } from '../support/service-process.js';

const LISTED = 'https://maps.example.org';
const MESSAGE = 'CORS_ORIGINS does not list the origin of a page';

/** What the log says of origins after requests with these headers. */
async function loggedOrigins(environment: Record<string, string>, requests: Record<string, string>[]) {
  const service = new ServiceProcess(environment);
  const { api } = await service.ready();
  for (const headers of requests) {
    await (await fetch(`${api}/v1/health`, { headers })).text();
    await (await fetch(`${api}/v1/predict`, { method: 'OPTIONS', headers })).text();
  }
  service.signal('SIGTERM');
  expect(await service.exit).toEqual({ code: 0, signal: null });
  return service.output
    .filter((line) => line.includes(MESSAGE))
    .map((line) => JSON.parse(line) as unknown)
    .map((line) => (line as { level: number; origin: string }).origin);
}

test('the first of many refused origins in a minute is logged, cut to 100 characters', async () => {
  const long = `https://${'a'.repeat(5000)}.example`;
  const requests = [long, 'https://b.example', 'null', long].map((origin) => ({ origin }));
  expect(await loggedOrigins({}, requests)).toEqual([long.slice(0, 100)]);
  expect(await loggedOrigins({ CORS_ORIGINS: LISTED }, requests.slice(1))).toEqual(['https://b.example']);
});

test('origins that are listed, those of the service itself and requests without one are not logged', async () => {
  const requests: Record<string, string>[] = [
    {},
    { origin: LISTED },
    { origin: 'https://nurselog.example', 'sec-fetch-site': 'same-origin' },
  ];
  expect(await loggedOrigins({ CORS_ORIGINS: LISTED }, requests)).toEqual([]);
  expect(await loggedOrigins({ CORS_ORIGINS: '*' }, [{ origin: 'https://b.example' }])).toEqual([]);
});
