import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../testing/free-port.js';
import { CAN_MOUNT } from '../support/can-mount.js';
import { eventually } from '../support/eventually.js';
import { ServiceProcess } from '../support/service-process.js';
import { readMetrics } from './support/metrics.js';
import { SmallDisk } from './support/small-disk.js';

const LOGGING_PROCESS = path.join(import.meta.dirname, 'support/logging-process.mjs');

/** Lines of 1 MiB each: the log keeps 16 MiB. */
const LINES = 40;
const KEPT_LINES = 15;

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly lines_dropped?: number;
}

const linesIn = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** A process that logs to a file or a pipe. */
function startLogging(stdout: number | 'pipe') {
  const child = fork(LOGGING_PROCESS, [], { stdio: ['ignore', stdout, 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a service that logs to /dev/full starts, answers requests and ends normally', async () => {
  const [port, opsPort] = [await freePort(), await freePort()];
  const service = new ServiceProcess({ PORT: String(port), OPS_PORT: String(opsPort) }, '/dev/full');
  const health = async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/v1/health`);
    expect(status).toBe(200);
  };
  await eventually(health);
  for (let i = 0; i < 50; i++) await health();
  await eventually(async () => {
    await health(); // a line more
    const metrics = await readMetrics(`http://127.0.0.1:${opsPort}`);
    expect(metrics.value('nurselog_log_lines_dropped_total')).toBeGreaterThan(0);
  });
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(service.errors).toMatch(/^nurselog: the first API key could not be shown .*\n$/);
});

test('a line that is logged after the log has ended with its process is dropped without an error', async () => {
  const child = startLogging('pipe');
  child.stdout!.resume();
  child.send(1);
  expect(await once(child, 'message')).toEqual([0, undefined]);
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test.skipIf(!CAN_MOUNT)(
  'a log on a full disk delays no request, counts the lines that it drops, and reports them when there is space again',
  async () => {
    const disk = new SmallDisk(512 * 1024);
    const log = path.join(disk.folder, 'log');
    const service = new ServiceProcess({ HOST: '0.0.0.0' }, log);
    const ready = await eventually(() => linesIn(log).find(({ msg }) => msg === 'ready') ?? expect.fail());
    const { ops, api } = ready as unknown as { ops: string; api: string };
    disk.fill();
    const url = `http://127.0.0.1:${new URL(api).port}/v1/health`;
    let requests = 0;
    const call = async () => {
      expect((await fetch(url)).status).toBe(200);
      requests++;
    };
    const countDropped = async () => (await readMetrics(ops)).value('nurselog_log_lines_dropped_total');
    await eventually(async () => {
      await call();
      expect(await countDropped()).toBeGreaterThan(50);
    });
    disk.clear();
    const isRecovery = ({ msg }: Line) => msg === 'standard output is writable again';
    const reported = await eventually(() => linesIn(log).find(isRecovery) ?? expect.fail());
    expect(reported.lines_dropped).toBe(await countDropped());
    await call();
    // Each line is there, whole, or counted.
    await eventually(() => {
      const written = linesIn(log).filter(({ msg }) => msg === 'request').length;
      expect(written + reported.lines_dropped!).toBe(requests);
    });
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(linesIn(log).at(-1)).toMatchObject({ msg: 'stopped' });
    expect(service.errors).toBe('');
  },
);

test.skipIf(!CAN_MOUNT)(
  'a log on a full disk drops what exceeds 16 MiB, counts it, and reports the count when there is space again',
  async () => {
    const disk = new SmallDisk(24 * 1024 * 1024);
    const file = path.join(disk.folder, 'log');
    disk.fill();
    const logging = startLogging(openSync(file, 'a'));
    logging.send(LINES);
    const [dropped] = (await once(logging, 'message')) as [number];
    expect(dropped).toBe(LINES - KEPT_LINES);
    disk.clear();
    const reported = await eventually(() => linesIn(file).find(({ level }) => level === 40) ?? expect.fail());
    expect(reported.lines_dropped).toBe(dropped);
    expect(linesIn(file).filter(({ level }) => level === 30)).toHaveLength(KEPT_LINES);
    logging.send(1);
    expect(await once(logging, 'message')).toEqual([dropped, undefined]);
  },
);

test('a log whose reader is gone counts what it drops', async () => {
  const logging = startLogging('pipe');
  logging.stdout!.destroy();
  logging.send(LINES);
  expect((await once(logging, 'message'))[0]).toBe(LINES - KEPT_LINES);
  logging.send(1);
  expect((await once(logging, 'message'))[0]).toBe(LINES - KEPT_LINES + 1);
  logging.disconnect();
  expect(await once(logging, 'exit')).toEqual([0, null]);
});
