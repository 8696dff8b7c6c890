import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServicePhase } from '../../src/service/service-phase.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function startedPhase() {
  const onFatal = vi.fn();
  const phase = new ServicePhase(onFatal);
  phase.start();
  return { phase, onFatal };
}

test('the service is degraded while workers are missing, and ok when they are back', () => {
  const { phase, onFatal } = startedPhase();
  phase.checkWorkers({ ready: 1, size: 2 });
  expect(phase.current).toBe('degraded');
  phase.checkWorkers({ ready: 2, size: 2 });
  expect(phase.current).toBe('ok');
  vi.advanceTimersByTime(60_000);
  expect(onFatal).not.toHaveBeenCalled();
});

test('workers that do not come back within 10 seconds are fatal, however often others die meanwhile', () => {
  const { phase, onFatal } = startedPhase();
  phase.checkWorkers({ ready: 1, size: 2 });
  vi.advanceTimersByTime(5000);
  phase.checkWorkers({ ready: 0, size: 2 });
  vi.advanceTimersByTime(5000);
  expect(onFatal).toHaveBeenCalledTimes(1);
});

test('missing workers change nothing while the service starts', () => {
  const onFatal = vi.fn();
  const phase = new ServicePhase(onFatal);
  phase.checkWorkers({ ready: 0, size: 2 });
  vi.advanceTimersByTime(60_000);
  expect({ phase: phase.current, calls: onFatal.mock.calls }).toEqual({ phase: 'starting', calls: [] });
});

test.each([
  [2, 1],
  [1, 0],
  [1, 2],
])('a drain that begins with %i of 2 workers ready is not cut short when %i are', (before, after) => {
  const { phase, onFatal } = startedPhase();
  phase.checkWorkers({ ready: before, size: 2 });
  phase.drain();
  phase.checkWorkers({ ready: after, size: 2 });
  vi.advanceTimersByTime(60_000);
  expect({ phase: phase.current, calls: onFatal.mock.calls }).toEqual({ phase: 'draining', calls: [] });
});
