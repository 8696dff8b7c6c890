import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Entry, Turnstile } from '../../src/scheduling/turnstile.js';

const keys = fc.constantFrom('a', 'b', 'c');
const steps = fc.array(fc.oneof(fc.record({ enter: keys }), fc.record({ leave: fc.nat(30) })), {
  maxLength: 80,
});

describe('the turnstile', () => {
  test('never has more inside than places, and nobody waits while a place is free', () => {
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 6 }),
        (moves, places, limit) => {
          const turnstile = new Turnstile(places, limit);
          const entries: Entry[] = [];
          for (const move of moves) {
            if ('enter' in move) {
              const before = entries.filter(({ state }) => state === 'waiting');
              const isShut = turnstile.isShutTo(move.enter);
              entries.push(turnstile.enter(move.enter));
              if (isShut) expect(entries.at(-1)!.state).toBe('turned-away');
              const gone = [...before, entries.at(-1)!].filter(({ state }) => state === 'turned-away');
              expect(gone).toHaveLength(
                before.length === limit && entries.at(-1)!.state !== 'inside' ? 1 : 0,
              );
              const candidates = [...before, entries.at(-1)!];
              const countOf = (key: string) => candidates.filter(({ keyId }) => keyId === key).length;
              for (const { keyId } of gone)
                for (const { keyId: other } of candidates)
                  expect(countOf(keyId)).toBeGreaterThanOrEqual(countOf(other));
            } else if (entries.length > 0) {
              turnstile.leave(entries[move.leave % entries.length]);
            }
            const inside = entries.filter(({ state }) => state === 'inside').length;
            const waiting = entries.filter(({ state }) => state === 'waiting').length;
            expect(inside).toBeLessThanOrEqual(places);
            expect(turnstile.waiting).toBe(waiting);
            if (waiting > 0) expect(inside).toBe(places);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('lets keys take turns, however many of one wait', () => {
    const turnstile = new Turnstile(1, 100);
    const first = turnstile.enter('flood');
    const flood = Array.from({ length: 50 }, () => turnstile.enter('flood'));
    const other = turnstile.enter('other');
    turnstile.leave(first);
    turnstile.leave(flood[0]);
    expect(other.state).toBe('inside');
  });

  test('turns away one of the key that has most waiting, so that a flood shuts nobody out', async () => {
    const turnstile = new Turnstile(1, 5);
    const flood = Array.from({ length: 6 }, () => turnstile.enter('flood'));
    const other = turnstile.enter('other');
    expect(other.state).toBe('waiting');
    expect(await flood.at(-1)!.decided).toBe('turned-away');
    expect(turnstile.waiting).toBe(5);
  });

  test('is shut to the key that has most waiting, once as many wait as may', () => {
    const turnstile = new Turnstile(1, 3);
    const shutTo = () => ['flood', 'other'].filter((keyId) => turnstile.isShutTo(keyId));
    for (let entered = 0; entered < 4; entered++) {
      expect(shutTo()).toEqual([]);
      turnstile.enter('flood');
    }
    expect(shutTo()).toEqual(['flood']);
    turnstile.enter('other');
    expect(shutTo()).toEqual(['flood']);
  });

  test('tells an entry that left before its turn, and one that was admitted', async () => {
    const turnstile = new Turnstile(1, 10);
    const inside = turnstile.enter('a');
    const gone = turnstile.enter('a');
    turnstile.leave(gone);
    expect(await inside.decided).toBe('inside');
    expect(await gone.decided).toBe('left');
  });
});
