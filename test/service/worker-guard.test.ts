import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServicePhase } from '../../src/service/service-phase.js';
import { WorkerGuard } from '../../src/service/worker-guard.js';

describe('the worker guard', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function guarded() {
    const phase = new ServicePhase();
    const giveUp = vi.fn();
    phase.enter('ok');
    return { phase, giveUp, guard: new WorkerGuard(phase, giveUp) };
  }

  test('has the service degraded while workers are missing, and ok when they are back', () => {
    const { phase, giveUp, guard } = guarded();
    guard.check({ ready: 1, size: 2 });
    expect(phase.current).toBe('degraded');
    guard.check({ ready: 2, size: 2 });
    expect(phase.current).toBe('ok');
    vi.advanceTimersByTime(60_000);
    expect(giveUp).not.toHaveBeenCalled();
  });

  test('gives up within 10 seconds if they do not come back, however often others die meanwhile', () => {
    const { giveUp, guard } = guarded();
    guard.check({ ready: 1, size: 2 });
    vi.advanceTimersByTime(5000);
    guard.check({ ready: 0, size: 2 });
    vi.advanceTimersByTime(5000);
    expect(giveUp).toHaveBeenCalledTimes(1);
  });

  test('leaves a service alone that starts or drains', () => {
    for (const life of ['starting', 'draining'] as const) {
      const { phase, giveUp, guard } = guarded();
      phase.enter(life);
      guard.check({ ready: 0, size: 2 });
      expect(phase.current).toBe(life);
      vi.advanceTimersByTime(60_000);
      expect(giveUp).not.toHaveBeenCalled();
    }
  });

  test.each([1, 2])(
    'does not cut a drain that begins while workers are missing, %i of 2 then ready',
    (ready) => {
      const { phase, giveUp, guard } = guarded();
      guard.check({ ready: 1, size: 2 });
      phase.enter('draining');
      guard.check({ ready, size: 2 });
      vi.advanceTimersByTime(60_000);
      expect(giveUp).not.toHaveBeenCalled();
    },
  );
});
