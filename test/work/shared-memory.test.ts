import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedMemory, type SharedRange } from '../../src/work/memory/shared-memory.js';
import { forAll } from '../support/for-all.js';

const step = fc.oneof(
  fc.record({ do: fc.constant('take' as const), bytes: fc.integer({ min: 0, max: 40 * 2 ** 20 }) }),
  fc.record({
    do: fc.constant('shorten' as const),
    index: fc.nat(20),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant('release' as const), index: fc.nat(20) }),
);

test('ranges in use never overlap, and released ones are used again', () => {
  forAll(300, [fc.array(step, { maxLength: 60 })], (steps) => {
    const memory = new SharedMemory();
    const held: SharedRange[] = [];
    const seen = new Set<SharedArrayBuffer>();
    let mostBytes = 0;
    for (const what of steps) {
      if (what.do === 'take') {
        held.push(memory.take(what.bytes));
        seen.add(held[held.length - 1].memory);
      } else if (held.length > 0) {
        const index = what.index % held.length;
        if (what.do === 'release') memory.release(held.splice(index, 1)[0]);
        else held[index] = memory.shorten(held[index], Math.floor(what.share * held[index].length));
      }
      for (const [i, one] of held.entries()) {
        expect(one.at % 64).toBe(0);
        expect(one.at + one.length).toBeLessThanOrEqual(one.memory.byteLength);
        for (const other of held.slice(i + 1)) {
          const isApart = one.at + one.length <= other.at || other.at + other.length <= one.at;
          expect(one.memory !== other.memory || isApart || one.length * other.length === 0).toBe(true);
        }
      }
      mostBytes = Math.max(
        mostBytes,
        held.reduce((sum, { length }) => sum + length, 0),
      );
    }
    for (const range of held) memory.release(range);
    // All memory is free again: every segment can be taken as one range, and none is added.
    const again = Array.from(seen, () => memory.take(64 * 2 ** 20).memory);
    expect(new Set(again)).toEqual(seen);
  });
});
