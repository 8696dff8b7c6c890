import { mayDiscardCorners } from '../drawing/drawing.js';
import { mayDiscardRows } from '../points/may-discard-rows.js';

/** Asks before other work replaces drawn corners or answered rows; true if there are none. */
export const mayDiscardWork = () => mayDiscardCorners() && mayDiscardRows();
