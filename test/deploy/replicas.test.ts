import { expect, test } from 'vitest';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import { eventually } from '../support/eventually.js';
import { IS_LONG } from '../support/length.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { administer, issueKey } from './support/administer.js';
import { Layout } from './support/layout.js';
import { SteadyLoad } from './support/steady-load.js';
import { DEPLOY_TOOLS } from './support/tools.js';

const CALLERS = 16;

/** The status of a prediction. */
async function predict(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/predict`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(PREDICT_REQUEST),
  });
  await response.arrayBuffer();
  return response.status;
}

const itWithReplicas = test.skipIf(!HAS_POSTGRES || DEPLOY_TOOLS === undefined);

itWithReplicas(
  'when of three replicas one is stopped, one killed and one added under load, only what the killed one had under way may fail',
  async () => {
    const database = await POSTGRES.create();
    const { secret } = await issueKey(database, 'hypha');
    const [layout, stopped, killed] = await Layout.start(database, 3);
    const load = new SteadyLoad(layout.url, secret, CALLERS);
    await load.more(300);

    stopped!.process.signal('SIGTERM');
    expect(await stopped!.process.exit).toEqual({ code: 0, signal: null });
    await load.more(300);
    layout.forget(stopped!);
    await load.more(300);

    const killedMs = performance.now();
    killed!.process.signal('SIGKILL');
    await killed!.process.exit;
    const goneMs = performance.now();
    await load.more(300);
    layout.forget(killed!);
    await load.more(300);

    const added = await layout.startReplica();
    layout.announce(added);
    const requestLines = () => added.process.output.filter((line) => line.includes('"msg":"request"'));
    await eventually(() => expect(requestLines().length).toBeGreaterThanOrEqual(100));
    await load.stop();

    const failed = load.outcomes.filter(({ result }) => result !== 'answered');
    console.log(
      `${load.outcomes.length} requests, ${failed.length} failed; nginx tried again or gave up ${
        layout.balancerLog.split('"request_id"').length - 1
      } times`,
    );
    const wasInHand = ({ startedMs, endedMs }: (typeof failed)[number]) =>
      startedMs <= goneMs && endedMs >= killedMs;
    expect(
      failed.filter((outcome) => !wasInHand(outcome)),
      layout.balancerLog,
    ).toEqual([]);
    expect(failed.length).toBeLessThanOrEqual(CALLERS);
  },
);

itWithReplicas(
  'a spore key is admitted exactly 100 times a day, whichever of three replicas its 300 simultaneous requests reach',
  async () => {
    const database = await POSTGRES.create();
    const { secret } = await issueKey(database, 'spore');
    const [layout, ...replicas] = await Layout.start(database, 3);

    const statuses = await Promise.all(Array.from({ length: 300 }, () => predict(layout.url, secret)));

    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200);
    for (const { process } of replicas) await process.line(/"status":(200|429)/);
  },
);

itWithReplicas(
  'a key that an operator deactivates is soon refused by every replica behind nginx',
  async () => {
    const database = await POSTGRES.create();
    const { key, secret } = await issueKey(database, 'hypha');
    const [layout] = await Layout.start(database, 3);
    const askAll = () => Promise.all(Array.from({ length: 30 }, () => predict(layout.url, secret)));
    expect(new Set(await askAll())).toEqual(new Set([200]));

    await administer(database, (keys) => keys.setState(key.id, 'deactivated'));
    const changedMs = performance.now();
    await eventually(async () => expect(new Set(await askAll())).toEqual(new Set([403])));
    if (IS_LONG) expect(performance.now() - changedMs).toBeLessThan(5000);
  },
);
