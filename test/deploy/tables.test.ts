import { test as anyTest, expect } from 'vitest';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import { csvOf } from '../http/support/tables.js';
import { readMetrics } from '../reliability/support/metrics.js';
import { eventually } from '../support/eventually.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { issueKey } from './support/administer.js';
import { Layout, type Replica } from './support/layout.js';
import { DEPLOY_TOOLS } from './support/tools.js';

/** The answer has 16 MB, more than the buffers on the way hold. */
const ROWS = 50_000;
const CSV = csvOf(Array(ROWS).fill(PREDICT_REQUEST));

/** Sends the table through nginx. Until the body is read, only the buffers on the way are filled. */
function sendTable(url: string, key: string): Promise<Response> {
  return fetch(`${url}/v1/predict/table`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'text/csv', 'accept-encoding': 'identity' },
    body: CSV,
  });
}

const hasTable = async ({ ops }: Replica) => (await readMetrics(ops)).value('nurselog_tables_open') > 0;

/** The replica that answers a table. */
const busyOf = (replicas: readonly Replica[]) =>
  eventually(async () => {
    for (const replica of replicas) if (await hasTable(replica)) return replica;
    throw new Error('no replica has the table');
  });

const test = anyTest.skipIf(!HAS_POSTGRES || DEPLOY_TOOLS === undefined);

test('behind nginx a table whose replica is killed in mid-answer is visibly cut, and one whose replica gets SIGTERM is whole', async () => {
  const database = await POSTGRES.create();
  const { secret } = await issueKey(database, 'hypha');
  const [layout, ...replicas] = await Layout.start(database, 3);
  const cut = await sendTable(layout.url, secret);
  expect(cut.status).toBe(200);
  const killed = await busyOf(replicas);
  killed.process.signal('SIGKILL');
  await killed.process.exit;
  await expect(cut.text()).rejects.toThrow('terminated');

  const whole = await sendTable(layout.url, secret);
  expect(whole.status).toBe(200);
  const drained = await busyOf(replicas.filter((replica) => replica !== killed));
  drained.process.signal('SIGTERM');
  await drained.process.line(/"msg":"draining"/);
  expect((await whole.text()).split('\n')).toHaveLength(ROWS + 2);
  expect(await drained.process.exit).toEqual({ code: 0, signal: null });
}, 300_000);
