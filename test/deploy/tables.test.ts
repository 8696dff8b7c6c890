import { expect, test } from 'vitest';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import { csvOf } from '../http/support/tables.js';
import { readMetrics } from '../reliability/support/metrics.js';
import { eventually } from '../support/eventually.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { issueKey } from './support/administer.js';
import { Layout, type Replica } from './support/layout.js';
import { DEPLOY_TOOLS } from './support/tools.js';

/** So many that no buffer on the way holds the answer: 16 MB. */
const ROWS = 50_000;
const CSV = csvOf(Array(ROWS).fill(PREDICT_REQUEST));

/** Sends the table through nginx. The answer is not read beyond what buffers hold until its body is. */
function sendTable(url: string, key: string): Promise<Response> {
  return fetch(`${url}/v1/predict/table`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'text/csv', 'accept-encoding': 'identity' },
    body: CSV,
  });
}

const hasTable = async ({ ops }: Replica) => (await readMetrics(ops)).value('nurselog_tables_open') > 0;

/** Three replicas, and a table whose answer has begun: its response and the replica that answers. */
async function startTable() {
  const database = await POSTGRES.create();
  const { secret } = await issueKey(database, 'hypha');
  const [layout, ...replicas] = await Layout.start(database, 3);
  const response = await sendTable(layout.url, secret);
  expect(response.status).toBe(200);
  const busy = await eventually(async () => {
    for (const replica of replicas) if (await hasTable(replica)) return replica;
    throw new Error('no replica has the table');
  });
  return { layout, secret, response, busy };
}

async function expectWhole(response: Response): Promise<void> {
  expect(response.status).toBe(200);
  expect((await response.text()).split('\n')).toHaveLength(ROWS + 2);
}

const itWithReplicas = test.skipIf(!HAS_POSTGRES || DEPLOY_TOOLS === undefined);

itWithReplicas(
  'behind nginx a table whose replica is killed in mid-answer is visibly cut, and is whole when it is sent again',
  async () => {
    const { layout, secret, response, busy } = await startTable();
    busy.process.signal('SIGKILL');
    await busy.process.exit;
    await expect(response.text()).rejects.toThrow('terminated');
    await expectWhole(await sendTable(layout.url, secret));
  },
  300_000,
);

itWithReplicas(
  'behind nginx a table whose replica gets SIGTERM in mid-answer is whole, and the replica then ends',
  async () => {
    const { response, busy } = await startTable();
    busy.process.signal('SIGTERM');
    await busy.process.line(/"msg":"draining"/);
    await expectWhole(response);
    expect(await busy.process.exit).toEqual({ code: 0, signal: null });
  },
  300_000,
);
