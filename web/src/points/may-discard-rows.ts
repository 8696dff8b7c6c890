import { counted } from '../page/format.js';
import { scoredPoints } from '../state/points.js';

/** Asks before answered rows of points are discarded, which took time and requests; true if there are none. */
export function mayDiscardRows(): boolean {
  const count = scoredPoints.peek()?.rows.length ?? 0;
  return (
    count === 0 ||
    window.confirm(`Discard ${counted(count, 'answered row')}? To keep them, cancel and save them as CSV.`)
  );
}
