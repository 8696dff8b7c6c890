import { HORIZONS, type Horizon } from '../../prediction/dimensions.js';
import { firstElementAt, nextElementAt, numberAt, OPEN_ARRAY } from './json.js';

/** The set of horizons that an array holds; 0 where it holds none or anything else. */
export function horizonsAt(bytes: Buffer, start: number): number {
  if (bytes[start] !== OPEN_ARRAY) return 0;
  let set = 0;
  for (let at = firstElementAt(bytes, start); at !== 0; at = nextElementAt(bytes, at)) {
    const horizon = HORIZONS.indexOf(numberAt(bytes, at) as Horizon);
    if (horizon === -1) return 0;
    set |= 1 << horizon;
  }
  return set;
}

/** The horizon at an offset; undefined for any other value. */
export function horizonAt(bytes: Buffer, at: number): number | undefined {
  const number = numberAt(bytes, at);
  return HORIZONS.includes(number as Horizon) ? number : undefined;
}
