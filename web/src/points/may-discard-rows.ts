import { counted } from '../page/format.js';
import { scoredPoints } from '../state/points.js';

/** Asks whether the answered rows of points may go, if there are any: they took time and requests. */
export function mayDiscardRows(): boolean {
  const count = scoredPoints.peek()?.rows.length ?? 0;
  return (
    count === 0 ||
    window.confirm(`Discard ${counted(count, 'answered row')}? What is to stay can be saved as CSV before.`)
  );
}
