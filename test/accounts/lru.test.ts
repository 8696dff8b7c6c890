import { expect, test } from 'vitest';
import { LruMap } from '../../src/accounts/lru.js';

test('the entry not used for longest is forgotten when a map is over its capacity', () => {
  const map = new LruMap<string, number>(2);
  map.set('fir', 1);
  map.set('hemlock', 2);
  map.get('fir');
  map.set('cedar', 3);
  expect([map.get('fir'), map.get('hemlock'), map.get('cedar')]).toEqual([1, undefined, 3]);
  expect(map.size).toBe(2);
});
