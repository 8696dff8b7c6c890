import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { Client } from '../support/kept-load.js';
import { rounds } from '../support/length.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';
import { reportFigures } from './support/figures.js';
import { KeysCommand } from './support/keys-command.js';
import { askForAll, readWhole, type Target, type WholeAnswers } from './support/mixed-load.js';
import { mixedRequests } from './support/mixed-requests.js';

const MORTAL_WORKERS = fileURLToPath(new URL('./support/mortal-workers.mjs', import.meta.url));
const CALLERS = 8;
const ROUNDS = rounds({ short: 2, long: 100 });

/** Sizes that the tier mycel allows. */
const MIX = mixedRequests({ batchSites: 20, tableRows: 50, surfacePoints: 50 });

/** Calls with a key until the service is gone; counts the requests and the complete answers. */
class Caller {
  sent = 0;
  answered = 0;

  async callUntilGone({ api, key }: Target, answers: WholeAnswers, first: number): Promise<void> {
    const client = new Client(api, key);
    const requests = [...answers];
    for (;;) {
      const [request, whole] = requests[(first + this.sent) % requests.length]!;
      this.sent++;
      const answer = await client.send(request).catch(() => undefined);
      if (answer === undefined) return client.close(); // no complete answer
      expect(answer.status).toBe(200);
      expect(readWhole(request, answer.body) === whole, `${request.name} has its whole answer`).toBe(true);
      this.answered++;
    }
  }
}

const sumOf = (callers: readonly Caller[], count: 'sent' | 'answered') =>
  callers.reduce((sum, caller) => sum + caller[count], 0);

test(
  `after SIGKILL under load, ${ROUNDS.length} times, the store opens, no issued key is lost and no answered request is uncounted`,
  async () => {
    const DATABASE_URL = `sqlite:${path.join(temporaryFolder(), 'keys.db')}`;
    const keys = new KeysCommand(DATABASE_URL);
    const used = new Map<string, Caller[]>();
    let issued = [await keys.issue()];
    let callable = issued[0];
    let answers: WholeAnswers | undefined;
    for (const round of ROUNDS) {
      const service = new ServiceProcess({ DATABASE_URL, REQUEST_TIMEOUT_MS: '60000' });
      const { api } = await service.ready();
      answers ??= await askForAll({ api, key: (await keys.issue('hypha')).key }, MIX);
      const whole = answers;
      for (const { key } of issued.slice(-2))
        expect((await fetch(`${api}/v1/coverage`, { headers: { 'x-api-key': key } })).status).toBe(200);
      const callers = Array.from({ length: CALLERS }, () => new Caller());
      const target = { api, key: callable.key };
      const calling = callers.map((caller, index) => caller.callUntilGone(target, whole, index));
      // Keys are issued before, during and after the death of the service.
      const issuing = Promise.all([keys.issue(), keys.issue()]);
      // Another moment in every round.
      const answeredBefore = 2 * CALLERS + ((round * 37) % 150);
      await eventually(() => expect(sumOf(callers, 'answered')).toBeGreaterThan(answeredBefore));
      service.signal('SIGKILL');
      await Promise.all(calling);
      used.set(callable.id, callers);
      const more = await issuing;
      issued = [...issued, ...more];
      callable = more[0];
    }

    const service = new ServiceProcess({ DATABASE_URL });
    const { api } = await service.ready();
    const statuses = await Promise.all(
      issued.map(
        async ({ key }) => (await fetch(`${api}/v1/coverage`, { headers: { 'x-api-key': key } })).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const usage = await keys.usage();
    let answeredInAll = 0;
    for (const [id, callers] of used) {
      const counted = usage.get(id)!;
      const others = 2; // the calls above that tried the key, before and after
      expect(counted).toBeGreaterThanOrEqual(sumOf(callers, 'answered'));
      expect(counted).toBeLessThanOrEqual(sumOf(callers, 'sent') + others);
      answeredInAll += sumOf(callers, 'answered');
    }
    reportFigures('kill -9', {
      kills: ROUNDS.length,
      'keys issued': issued.length,
      'requests answered': answeredInAll,
    });
  },
  60_000 + 20_000 * ROUNDS.length,
);

test('a full heap of a worker inside onnxruntime aborts the process; the next one has every answered request counted', async () => {
  const environment = { DATABASE_URL: `sqlite:${path.join(temporaryFolder(), 'keys.db')}` };
  const keys = new KeysCommand(environment.DATABASE_URL);
  const [callable, hypha] = [await keys.issue(), await keys.issue('hypha')];
  const aborted = new ServiceProcess({
    ...environment,
    REQUEST_TIMEOUT_MS: '60000',
    CACHE_BYTES: '0', // every row goes through onnxruntime
    NODE_OPTIONS: `--import=${MORTAL_WORKERS} --max-old-space-size=128`,
    DEATH: 'memory inside onnxruntime',
  });
  const { api } = await aborted.ready();
  const answers = await askForAll({ api, key: hypha.key }, MIX);
  const callers = Array.from({ length: CALLERS }, () => new Caller());
  const calling = callers.map((caller, index) =>
    caller.callUntilGone({ api, key: callable.key }, answers, index),
  );
  await eventually(() => expect(sumOf(callers, 'answered')).toBeGreaterThan(2 * CALLERS));
  aborted.signal('SIGUSR2');
  expect(await aborted.exit).toEqual({ code: null, signal: 'SIGABRT' });
  await Promise.all(calling); // none of them hangs

  const next = new ServiceProcess(environment);
  const client = new Client((await next.ready()).api, callable.key);
  for (const [request, whole] of answers) {
    const { status, body } = await client.send(request);
    expect({ status, isWhole: readWhole(request, body) === whole }).toEqual({ status: 200, isWhole: true });
  }
  client.close();
  const counted = (await keys.usage()).get(callable.id);
  expect(counted).toBeGreaterThanOrEqual(sumOf(callers, 'answered') + answers.size);
  expect(counted).toBeLessThanOrEqual(sumOf(callers, 'sent') + answers.size);
});
