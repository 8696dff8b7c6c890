import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BufferPool } from '../../src/work/memory/buffer-pool.js';
import { forAll } from '../support/for-all.js';

test('memory in use is never allocated again, whatever size the slabs of Node have', () => {
  const { poolSize } = Buffer;
  // As in Node 24: a small buffer may be the start of a slab as large as a pooled one.
  Buffer.poolSize = 65_536;
  const step = fc.record({ size: fc.integer({ min: 1, max: 200_000 }), release: fc.nat(20) });
  try {
    forAll(200, [fc.array(step, { maxLength: 60 })], (steps) => {
      const pool = new BufferPool();
      const used: { bytes: Buffer; mark: number }[] = [];
      for (const [index, { size, release }] of steps.entries()) {
        const mark = index % 256;
        const bytes = pool.acquire(size % 3 === 0 ? size : (size % 4096) + 1);
        bytes.fill(mark);
        used.push({ bytes, mark });
        if (release < used.length) pool.release(used.splice(release, 1)[0].bytes);
        for (const { bytes, mark } of used) {
          expect([bytes[0], bytes[bytes.length >> 1], bytes.at(-1)]).toEqual([mark, mark, mark]);
        }
      }
    });
  } finally {
    Buffer.poolSize = poolSize;
  }
});

test('released memory is allocated again, even if only a part of it is passed to release', () => {
  const pool = new BufferPool();
  const first = pool.acquire(100_000);
  pool.release(first.subarray(10, 20));
  expect(pool.acquire(90_000).buffer).toBe(first.buffer);
});
