import { expect, onTestFinished, test } from 'vitest';
import { SettableClock } from '../accounts/support/settable-clock.js';
import { eventually } from '../support/eventually.js';
import { Client } from '../support/kept-load.js';
import { rounds } from '../support/length.js';
import { serviceOfFile } from '../support/service.js';
import { reportFigures } from './support/figures.js';
import { mixedRequests } from './support/mixed-requests.js';

const CALLERS = 16;
const YESTERDAY = '2026-11-20';
const TODAY = '2026-11-21';
const LIMIT = 100;
/** Sizes that the tier spore allows. */
const MIX = mixedRequests({ batchSites: 10, tableRows: 10, surfacePoints: 20 });

/** The times to which the clock is set in turn while callers call. */
const COURSES: Readonly<Record<string, readonly string[]>> = {
  'the day changes': [`${YESTERDAY}T23:59:59.990Z`, `${TODAY}T00:00:00.000Z`],
  'the clock steps forward over midnight, early, and back': [
    `${YESTERDAY}T23:50:00Z`,
    `${TODAY}T00:10:00Z`,
    `${YESTERDAY}T23:50:01Z`,
    `${TODAY}T00:00:00Z`,
  ],
  'the clock steps back over midnight, several times': [
    `${TODAY}T00:00:01Z`,
    `${YESTERDAY}T23:59:59Z`,
    `${TODAY}T00:00:01Z`,
    `${YESTERDAY}T23:59:58Z`,
  ],
};

const clock = new SettableClock(`${YESTERDAY}T12:00:00Z`);

const service = await serviceOfFile({ WORKERS: '1', REQUEST_TIMEOUT_MS: '60000' }, clock.nowMs);

test.each(
  rounds({ short: 1, long: 20 }).flatMap((round) =>
    Object.entries(COURSES).map(([name, course]) => [name, round, course] as const),
  ),
)(
  'while %s under load, each day has its quota once and every answer is counted on one day (round %i)',
  async (_name, _round, course) => {
    clock.set(course[0]!);
    const { id, secret } = await service.issueKey('spore');
    let answered = 0;
    let refused = 0;
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const call = async (_: unknown, caller: number) => {
      const client = new Client(service.apiUrl, secret);
      onTestFinished(() => client.close());
      for (let index = caller; !isOver; index++) {
        const { status } = await client.send(MIX[index % MIX.length]!);
        if (status === 200) answered++;
        else {
          expect(status).toBe(429);
          refused++;
        }
      }
    };
    const callers = Array.from({ length: CALLERS }, call);
    for (const time of course) {
      clock.set(time);
      // Enough requests at each time to use up the rest of the day's quota.
      const enough = answered + refused + LIMIT + CALLERS;
      await eventually(() => expect(answered + refused).toBeGreaterThanOrEqual(enough));
    }
    isOver = true;
    await Promise.all(callers);
    const usage = await service.administration.usage({ keyId: id });

    expect(usage.map(({ day, requests }) => [day, requests])).toEqual([
      [YESTERDAY, LIMIT],
      [TODAY, LIMIT],
    ]);
    expect(answered).toBe(2 * LIMIT);
    reportFigures('midnight', { answered, refused });
  },
);
