import type { RowWriter } from '../text/row-writer.js';
import { csvCell } from './quoted-cell.js';

/** Writes a cell. @param text UTF-8 read as latin1 */
export function writeCsvCell(writer: RowWriter, text: string): void {
  writer.writeBytes(csvCell(text));
}

/** The number of a cell; NaN where it is none. White space around it does not matter. */
export function numberOf(cell: string): number {
  const number = Number(cell);
  if (number === 0 && cell.trim() === '') return Number.NaN;
  // Number() reads 0x1f, 0b1 and 0o7, too. Most cells begin with two characters that exclude this.
  const isUsual = cell.charCodeAt(0) > 0x20 && !(cell.charCodeAt(1) > 0x39);
  return !isUsual && /^\s*0[xbo]/i.test(cell) ? Number.NaN : number;
}
