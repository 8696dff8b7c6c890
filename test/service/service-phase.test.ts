import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServicePhase } from '../../src/service/service-phase.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startedPhase() {
  const onFatal = vi.fn();
  const phase = new ServicePhase(onFatal);
  phase.start();
  return { phase, onFatal };
}

test('the service is degraded while workers are missing, and ok when they are back', () => {
  const { phase, onFatal } = startedPhase();
  phase.checkWorkers({ ready: 1, opening: 0, size: 2 });
  expect(phase.current).toBe('degraded');
  phase.checkWorkers({ ready: 2, opening: 0, size: 2 });
  expect(phase.current).toBe('ok');
  vi.advanceTimersByTime(60_000);
  expect(onFatal).not.toHaveBeenCalled();
});

test.each([
  [8000, 0],
  [12_000, 11_500],
  [30_000, 60_000],
])('a lost worker may be missing for %i ms, if another opens its models for %i ms', (limitMs, openMs) => {
  const { phase, onFatal } = startedPhase();
  const workers = { ready: 1, opening: 1, size: 2 };
  phase.checkWorkers(workers);
  setTimeout(() => Object.assign(workers, { opening: 0 }), openMs);
  vi.advanceTimersByTime(limitMs - 1);
  phase.checkWorkers(workers); // which gives no more time
  expect(onFatal).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onFatal).toHaveBeenCalledTimes(1);
});

test('missing workers change nothing while the service starts', () => {
  const onFatal = vi.fn();
  const phase = new ServicePhase(onFatal);
  phase.checkWorkers({ ready: 0, opening: 0, size: 2 });
  vi.advanceTimersByTime(60_000);
  expect({ phase: phase.current, calls: onFatal.mock.calls }).toEqual({ phase: 'starting', calls: [] });
});

test.each([
  [2, 1],
  [1, 0],
  [1, 2],
])('a drain that begins with %i of 2 workers ready is not cut short when %i are', (before, after) => {
  const { phase, onFatal } = startedPhase();
  phase.checkWorkers({ ready: before, opening: 0, size: 2 });
  phase.drain();
  phase.checkWorkers({ ready: after, opening: 0, size: 2 });
  vi.advanceTimersByTime(60_000);
  expect({ phase: phase.current, calls: onFatal.mock.calls }).toEqual({ phase: 'draining', calls: [] });
});
