import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from '../../testing/load/connection.js';
import { OrderedProcess } from '../../testing/load/ordered-process.js';
import { quantile } from '../../testing/statistics.js';
import { csvOf } from '../http/support/tables.js';
import { eventually } from '../support/eventually.js';
import { IS_LONG } from '../support/length.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';
import { reportFigures } from './support/figures.js';
import { BATCH, requestOf } from './support/hostile-callers.js';
import { KeysCommand } from './support/keys-command.js';
import { readMetrics } from './support/metrics.js';
import type { TableCallersOrder, TableCallersReport } from './support/table-callers-process.js';

/** The long form has the largest tables; the short one a few small ones. */
const ROWS = IS_LONG ? 200_000 : 2000;
const TABLE = csvOf(Array.from({ length: ROWS }, (_, row) => ({ plot: `plot ${row}`, ...PREDICT_REQUEST })));

/** Several keys: one has at most half of TABLE_MEMORY_BYTES. */
const KEYS = 10;
const SLOW_BYTES_PER_SECOND = 100_000;
/** Minimum time for which single predictions are measured while tables are open. */
const MEASURED_MS = IS_LONG ? 30_000 : 0;
/** Time for each table, because one thread checks their bodies one after the other. */
const OPENING_MS = IS_LONG ? 1500 : 0;
const SAMPLES = IS_LONG ? 500 : 20;
const PAUSE_MS = 5;

/** Memory of a table in addition to its body: the rows of its jobs, and parts of its answer in flight. */
const MB_PER_TABLE = 6;
const MB = 1024 ** 2;
/** Limit for the p99 of single predictions during tables, divided by the time of a batch of 500 alone. */
const MAX_LATENCY_RATIO = 4;

const CSV = 'text/csv';
const ARROW = 'application/vnd.apache.arrow.stream';

const CALLERS: readonly (readonly [string, { count: number; accept: string; bytesPerSecond?: number }])[] =
  IS_LONG
    ? [
        ['20 callers who read CSV slowly', { count: 20, accept: CSV, bytesPerSecond: SLOW_BYTES_PER_SECOND }],
        [
          '100 callers who read CSV slowly',
          { count: 100, accept: CSV, bytesPerSecond: SLOW_BYTES_PER_SECOND },
        ],
        [
          '100 callers who read Arrow slowly',
          { count: 100, accept: ARROW, bytesPerSecond: SLOW_BYTES_PER_SECOND },
        ],
        ['8 callers who read CSV at once', { count: 8, accept: CSV }],
      ]
    : [['3 callers who read CSV', { count: 3, accept: CSV }]];

test.each(CALLERS)(
  'every single prediction of another key is answered during tables of %s',
  async (name, callers) => {
    const databaseUrl = `sqlite:${temporaryFolder()}/keys.db`;
    const service = new ServiceProcess({
      DATABASE_URL: databaseUrl,
      WORKERS: '2',
      TABLE_MEMORY_BYTES: String(2 * 2 ** 30), // for 100 tables of 9 MB
    });
    const key = await service.firstKey();
    const { api, ops } = await service.ready();
    const command = new KeysCommand(databaseUrl);
    const keys: string[] = [];
    for (let i = 0; i < Math.min(KEYS, callers.count); i++) keys.push((await command.issue('hypha')).key);

    const other = await Connection.open(Number(new URL(api).port));
    /** Sorted times in ms of requests, one after the other, until there are enough and time has passed. */
    const timesOf = async (request: string, pauseMs: number, untilMs = 0): Promise<number[]> => {
      const bytes = Buffer.from(request);
      const times: number[] = [];
      while (times.length < SAMPLES || performance.now() < untilMs) {
        const sentMs = performance.now();
        expect(await other.send(bytes)).toBe(200);
        times.push(performance.now() - sentMs);
        await delay(pauseMs);
      }
      return times.sort((a, b) => a - b);
    };
    const single = requestOf('/v1/predict', key, JSON.stringify(PREDICT_REQUEST));
    const batchMs = quantile(await timesOf(requestOf('/v1/predict/batch', key, BATCH), 0), 0.5);
    const aloneMs = quantile(await timesOf(single, PAUSE_MS), 0.99);

    const load = new OrderedProcess<TableCallersOrder, TableCallersReport>(
      new URL('./support/table-callers-process.ts', import.meta.url),
    );
    onTestFinished(() => load.close());
    const order = { port: Number(new URL(api).port), keys, table: TABLE, ...callers };
    // One table before the measurement, so that memory of the first use is not counted.
    await load.run({ ...order, count: 1, bytesPerSecond: undefined, durationMs: 0 });
    const before = (await readMetrics(ops)).residentMb;
    const running = load.run({ ...order, durationMs: MEASURED_MS + callers.count * OPENING_MS });
    const isOpen = async () =>
      expect((await readMetrics(ops)).value('nurselog_tables_open')).toBe(callers.count);
    if (callers.bytesPerSecond !== undefined) await eventually(isOpen, callers.count * OPENING_MS);
    let most = 0;
    const watch = setInterval(() => {
      readMetrics(ops).then(
        ({ residentMb }) => {
          most = Math.max(most, residentMb);
        },
        () => {}, // the next one may be answered
      );
    }, 500);
    onTestFinished(() => clearInterval(watch));
    const besideMs = quantile(await timesOf(single, PAUSE_MS, performance.now() + MEASURED_MS), 0.99);
    const { answered, refused, broken } = await running;
    clearInterval(watch);
    const bodiesMb = (callers.count * Buffer.byteLength(TABLE)) / MB;
    reportFigures(name, {
      'tables answered': answered,
      'batch of 500 alone, median ms': batchMs,
      'single alone, p99 ms': aloneMs,
      'single beside, p99 ms': besideMs,
      'over the batch': besideMs / batchMs,
      'resident before, MB': before,
      'resident at most, MB': most,
      'bodies, MB': bodiesMb,
    });
    expect({ refused, broken }).toEqual({ refused: {}, broken: 0 });
    if (callers.bytesPerSecond === undefined) expect(answered).toBeGreaterThanOrEqual(callers.count);
    await eventually(async () => {
      const metrics = await readMetrics(ops);
      for (const gauge of ['tables_open', 'jobs_unfinished'])
        expect(metrics.value(`nurselog_${gauge}`)).toBe(0);
    });
    if (IS_LONG) {
      expect(most - before).toBeLessThan(bodiesMb + callers.count * MB_PER_TABLE);
      expect(besideMs / batchMs).toBeLessThan(MAX_LATENCY_RATIO);
    }
    other.close();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
  400_000,
);
