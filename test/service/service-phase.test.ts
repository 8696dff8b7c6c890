import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServicePhase, WorkerGuard } from '../../src/service/service-phase.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function guarded() {
  const phase = new ServicePhase();
  const onFatal = vi.fn();
  phase.enter('ok');
  return { phase, onFatal, guard: new WorkerGuard(phase, onFatal) };
}

test('the service is degraded while workers are missing, and ok when they are back', () => {
  const { phase, onFatal, guard } = guarded();
  guard.check({ ready: 1, size: 2 });
  expect(phase.current).toBe('degraded');
  guard.check({ ready: 2, size: 2 });
  expect(phase.current).toBe('ok');
  vi.advanceTimersByTime(60_000);
  expect(onFatal).not.toHaveBeenCalled();
});

test('workers that do not come back within 10 seconds are fatal, however often others die meanwhile', () => {
  const { onFatal, guard } = guarded();
  guard.check({ ready: 1, size: 2 });
  vi.advanceTimersByTime(5000);
  guard.check({ ready: 0, size: 2 });
  vi.advanceTimersByTime(5000);
  expect(onFatal).toHaveBeenCalledTimes(1);
});

test('missing workers change nothing while the service starts or drains', () => {
  for (const life of ['starting', 'draining'] as const) {
    const { phase, onFatal, guard } = guarded();
    phase.enter(life);
    guard.check({ ready: 0, size: 2 });
    expect(phase.current).toBe(life);
    vi.advanceTimersByTime(60_000);
    expect(onFatal).not.toHaveBeenCalled();
  }
});

test.each([1, 2])(
  'a drain that begins while workers are missing is not cut short, with %i of 2 ready then',
  (ready) => {
    const { phase, onFatal, guard } = guarded();
    guard.check({ ready: 1, size: 2 });
    phase.enter('draining');
    guard.check({ ready, size: 2 });
    vi.advanceTimersByTime(60_000);
    expect(onFatal).not.toHaveBeenCalled();
  },
);
