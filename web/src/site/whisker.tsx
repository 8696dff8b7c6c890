import type { Method } from '../api/types.js';

/** Units of the drawing. */
const [WHISKER_SCALE, WHISKER_MARGIN] = [100, 5];

interface WhiskerProps {
  method: Method;
  survival: number;
  interval: { readonly low: number; readonly high: number };
}

/** Survival with its interval on a scale from 0 to 1; the text beside it says the same. */
export function Whisker({ method, survival, interval: { low, high } }: WhiskerProps) {
  const at = (share: number) => WHISKER_MARGIN + share * WHISKER_SCALE;
  return (
    <svg
      class={`whisker ${method}`}
      viewBox={`0 0 ${WHISKER_SCALE + 2 * WHISKER_MARGIN} 12`}
      aria-hidden="true"
    >
      <line class="grid" x1={at(0)} x2={at(1)} y1="6" y2="6" />
      <path d={`M${at(low)} 2V10M${at(low)} 6H${at(high)}M${at(high)} 2V10`} />
      {method === 'manual' ? (
        <circle cx={at(survival)} cy="6" r="4" />
      ) : (
        <rect x={at(survival) - 3.5} y="2.5" width="7" height="7" />
      )}
    </svg>
  );
}
