import { test as anyTest, expect } from 'vitest';
import { TIERS } from '../../src/accounts/tiers.js';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import { eventually } from '../support/eventually.js';
import { amount, IS_LONG } from '../support/length.js';
import { administer, issueKey } from './support/administer.js';
import { type EndpointRequest, everyEndpoint } from './support/every-endpoint.js';
import { Layout } from './support/layout.js';
import { LOOKED_WHOLE, type Outcome, SteadyLoad } from './support/steady-load.js';
import { DEPLOY_TOOLS } from './support/tools.js';

const CALLERS = 16;
const REQUESTS_A_STEP = amount({ short: 300, long: 3000 });

const [PREDICT] = everyEndpoint(1);

let unavailable = 0;

/** Asks again while the answer is 503: on a busy machine the store may miss its deadline. */
const fetchPatiently = (url: string, init: RequestInit) =>
  eventually(async () => {
    const response = await fetch(url, init);
    if (response.status === 503) throw new Error(`503 number ${++unavailable}`);
    return response;
  });

async function ask(url: string, key: string, { path, body, contentType, isWhole }: EndpointRequest) {
  const response = await fetchPatiently(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': key, 'content-type': contentType },
    body: body ?? null,
  });
  const text = await response.text();
  return { path, status: response.status, isWhole: response.ok && isWhole(text) };
}

async function readUsage(url: string, key: string): Promise<unknown> {
  const response = await fetchPatiently(`${url}/v1/usage`, { headers: { 'x-api-key': key } });
  expect(response.status).toBe(200);
  return response.json();
}

async function preflight(url: string): Promise<void> {
  const headers = {
    origin: 'https://maps.example.org',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-api-key',
  };
  expect((await fetch(`${url}/v1/predict`, { method: 'OPTIONS', headers })).status).toBe(204);
}

const test = anyTest.skipIf(!HAS_POSTGRES || DEPLOY_TOOLS === undefined);

test('when of three replicas one is stopped, one killed and one added under a load of all endpoints, only what the killed one had under way may fail, and no second attempt does', async () => {
  const database = await POSTGRES.create();
  const { secret } = await issueKey(database, 'hypha');
  const [layout, stopped, killed] = await Layout.start(database, 3);
  const load = new SteadyLoad(layout.url, secret, CALLERS);
  await load.more(REQUESTS_A_STEP);

  expect(await stopped!.process.stop()).toEqual({ code: 0, signal: null });
  await load.more(REQUESTS_A_STEP);
  layout.forget(stopped!);
  await load.more(REQUESTS_A_STEP);

  const killedMs = performance.now();
  killed!.process.signal('SIGKILL');
  await killed!.process.exit;
  const goneMs = performance.now();
  await load.more(REQUESTS_A_STEP);
  layout.forget(killed!);
  await load.more(REQUESTS_A_STEP);

  const added = await layout.addReplica();
  const requestLines = () => added.process.output.filter((line) => line.includes('"msg":"request"'));
  await eventually(() => expect(requestLines().length).toBeGreaterThanOrEqual(100));
  await load.stop();

  console.log(
    `${load.outcomes.length} requests, ${load.failed.length} first and ${load.lost.length} second attempts failed; ` +
      `nginx tried again or gave up ${layout.balancerLog.split('"request_id"').length - 1} times`,
  );
  const wasInHand = ({ startedMs, endedMs }: Outcome) => startedMs <= goneMs && endedMs >= killedMs;
  expect(
    load.failed.filter((outcome) => !wasInHand(outcome)),
    layout.balancerLog,
  ).toEqual([]);
  expect(load.failed.length).toBeLessThanOrEqual(CALLERS);
  expect(load.failed.filter(({ result }) => result === LOOKED_WHOLE)).toEqual([]);
  expect(load.lost).toEqual([]);
}, 600_000);

test('a spore key is admitted exactly 100 times a day, whichever endpoints and replicas its 300 simultaneous requests reach, usage and preflights are free, and once it is deactivated every replica refuses it', async () => {
  const database = await POSTGRES.create();
  const { key, secret } = await issueKey(database, 'spore');
  const [layout, ...replicas] = await Layout.start(database, 3, { CORS_ORIGINS: '*' });
  const endpoints = everyEndpoint(TIERS.spore.sitesPerBatch);
  const asked = Array.from({ length: 300 }, (_, index) => endpoints[index % endpoints.length]!);

  const [answers] = await Promise.all([
    Promise.all(asked.map((request) => ask(layout.url, secret, request))),
    ...Array.from({ length: 50 }, () => readUsage(layout.url, secret)),
    ...Array.from({ length: 50 }, () => preflight(layout.url)),
  ]);

  const admitted = answers.filter(({ status }) => status === 200);
  expect(admitted.length).toBeLessThanOrEqual(100);
  expect(admitted.length + unavailable).toBeGreaterThanOrEqual(100); // the count of a 503 may be in the store
  expect(admitted.filter(({ isWhole }) => !isWhole)).toEqual([]);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(300 - admitted.length);
  for (const { process, api } of replicas) {
    await process.line(/"status":(200|429)/);
    expect(await readUsage(api, secret)).toMatchObject({ requests_today: 100, remaining: 0 });
  }

  await administer(database, (keys) => keys.setState(key.id, 'deactivated'));
  const changedMs = performance.now();
  for (const { api } of replicas)
    await eventually(async () => expect((await ask(api, secret, PREDICT!)).status).toBe(403));
  if (IS_LONG) expect(performance.now() - changedMs).toBeLessThan(5000);
}, 600_000);
