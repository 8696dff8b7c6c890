import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BufferPool } from '../../src/pool/buffer-pool.js';

describe('the buffer pool', () => {
  test('never gives out memory that is in use, whatever the size of the slabs of Node', () => {
    const { poolSize } = Buffer;
    // As in Node 24: a small buffer may be the start of a slab as large as a pooled one.
    Buffer.poolSize = 65_536;
    try {
      fc.assert(
        fc.property(
          fc.array(fc.record({ size: fc.integer({ min: 1, max: 200_000 }), release: fc.nat(20) }), {
            maxLength: 60,
          }),
          (steps) => {
            const pool = new BufferPool();
            const used: { buffer: Buffer; mark: number }[] = [];
            for (const [step, { size, release }] of steps.entries()) {
              const mark = step % 256;
              used.push({ buffer: pool.acquire(size % 3 === 0 ? size : (size % 4096) + 1).fill(mark), mark });
              if (release < used.length) pool.release(used.splice(release, 1)[0].buffer);
              for (const { buffer, mark } of used) {
                expect([buffer[0], buffer[buffer.length >> 1], buffer.at(-1)]).toEqual([mark, mark, mark]);
              }
            }
          },
        ),
        { numRuns: 200 },
      );
    } finally {
      Buffer.poolSize = poolSize;
    }
  });

  test('gives out again what was given back', () => {
    const pool = new BufferPool();
    const first = pool.acquire(100_000);
    pool.release(first);
    expect(pool.acquire(90_000).buffer).toBe(first.buffer);
  });
});
