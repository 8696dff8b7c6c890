import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

const HAS_PROC = existsSync('/proc/self/maps');

/** Whether a process has loaded a native addon, which only a dependency of the service does. */
function hasLoadedModules(pid: number): boolean {
  return readFileSync(`/proc/${pid}/maps`, 'utf8').includes('.node\n');
}

/** Milliseconds from the start of a process at which to signal it, from 0 on without end. */
function* moments(factor: number, stepMs: number): Generator<number> {
  for (let ms = 0; ; ms = Math.ceil(ms * factor) + stepMs) yield ms;
}

test.runIf(HAS_PROC)(
  'a SIGHUP while modules load does not end the process and reloads the models after the start',
  async () => {
    for (const ms of moments(1.2, 5)) {
      const service = new ServiceProcess();
      await delay(ms);
      const isLoading = hasLoadedModules(service.pid);
      service.signal('SIGHUP');
      const isReady = await service.ready().then(
        () => true,
        () => false,
      );
      if (isReady) {
        await service.line(/"msg":"models reloaded"/);
        return;
      }
      // The default action of the signal is allowed only before Node runs any of our code.
      expect(await service.exit).toEqual({ code: null, signal: 'SIGHUP' });
      expect(isLoading).toBe(false);
    }
  },
);

test.runIf(HAS_PROC)(
  'a service serves after repeated SIGHUPs from its first loaded module to the end of the start',
  async () => {
    const service = new ServiceProcess();
    let isStarting = true;
    const ready = service.ready().finally(() => {
      isStarting = false;
    });
    let isLoading = false;
    while (isStarting) {
      isLoading ||= hasLoadedModules(service.pid);
      if (isLoading) service.signal('SIGHUP');
      await delay(2);
    }
    const { api } = await ready;
    await service.line(/"msg":"models reloaded"/);
    expect((await fetch(`${api}/v1/health`)).status).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.errors).toBe('');
  },
);

test('SIGTERM or SIGINT at any moment of the start ends the process by the signal or with exit code 0, and the next start serves', async () => {
  const environment = { DATABASE_URL: `sqlite:${path.join(temporaryFolder(), 'keys.db')}` };
  let signal: NodeJS.Signals = 'SIGINT';
  for (const ms of moments(2, 50)) {
    signal = signal === 'SIGINT' ? 'SIGTERM' : 'SIGINT';
    const service = new ServiceProcess(environment);
    await delay(ms);
    const isReady = service.output.some((line) => line.includes('"msg":"ready"'));
    service.signal(signal);
    expect([
      { code: 0, signal: null },
      { code: null, signal },
    ]).toContainEqual(await service.exit);
    expect(service.errors).toBe('');
    if (isReady) return;
  }
});
