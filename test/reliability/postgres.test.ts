import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { CuttableLink } from '../accounts/support/cuttable-link.js';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import { eventually } from '../support/eventually.js';
import { Client, Load } from '../support/kept-load.js';
import { rounds } from '../support/length.js';
import { ServiceProcess } from '../support/service-process.js';
import { reportFigures } from './support/figures.js';
import { KeysCommand } from './support/keys-command.js';
import { askForAll, MixedLoad, readWhole } from './support/mixed-load.js';
import { mixedRequests } from './support/mixed-requests.js';

/** Longer than the time for which a key that was read is trusted. */
const OUTAGE_MS = 5000;
/** Sizes that the tier mycel allows. */
const MIX = mixedRequests({ batchSites: 20, tableRows: 100, surfacePoints: 100 });

test.runIf(HAS_POSTGRES).each(rounds({ short: 1, long: 10 }))(
  'while PostgreSQL stops, freezes and returns, hypha keys get every answer, limited keys an answer or 503 unavailable, and every answer is counted (round %i)',
  async () => {
    const databaseUrl = await POSTGRES.create();
    const keys = new KeysCommand(databaseUrl);
    const link = await CuttableLink.to(databaseUrl);
    const service = new ServiceProcess({
      DATABASE_URL: link.over(databaseUrl),
      REQUEST_TIMEOUT_MS: '60000', // nothing is late, however busy the machine
    });
    const { api } = await service.ready();
    const [hypha, mycel] = [await keys.issue('hypha'), await keys.issue('mycel')];
    const answers = await askForAll({ api, key: hypha.key }, MIX);
    const unlimited = new MixedLoad({ api, key: hypha.key }, answers);
    onTestFinished(() => unlimited.stop().catch(() => {})); // reported below

    const counts = { answered: 0, unavailable: 0 };
    const limited = new Load(
      Array.from(answers, ([request, whole]) => {
        const client = new Client(api, mycel.key);
        onTestFinished(() => client.close());
        return async () => {
          const { status, body } = await client.send(request);
          if (status === 503) {
            expect(body.toString()).toContain('"code":"unavailable"');
            counts.unavailable++;
            await delay(50);
          } else {
            expect({ status, isWhole: readWhole(request, body) === whole }).toEqual({
              status: 200,
              isWhole: true,
            });
            counts.answered++;
          }
        };
      }),
    );
    for (const takeAway of ['cut', 'silence'] as const) {
      const { unavailable } = counts;
      link[takeAway]();
      await delay(OUTAGE_MS);
      await eventually(() => expect(counts.unavailable).toBeGreaterThan(unavailable));
      await link.restore();
      const { answered } = counts;
      await eventually(() => expect(counts.answered).toBeGreaterThan(answered + MIX.length));
    }
    await limited.stop();
    await unlimited.stop();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    const usage = await keys.usage();
    // Counts whose commit is not confirmed are written again: none is lost, but some may be counted twice.
    expect(usage.get(hypha.id)).toBeGreaterThanOrEqual(MIX.length + unlimited.requests);
    // A request whose commit was made but not confirmed is refused and counted.
    expect(usage.get(mycel.id)).toBeGreaterThanOrEqual(counts.answered);
    expect(usage.get(mycel.id)).toBeLessThanOrEqual(counts.answered + counts.unavailable);
    reportFigures('PostgreSQL', { outages: 2, 'answers to hypha keys': unlimited.requests, ...counts });
  },
  600_000,
);
