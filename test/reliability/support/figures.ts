import { IS_LONG } from '../../support/length.js';

/** Prints what a long test measured: what docs/reliability.md quotes. */
export function reportFigures(name: string, figures: Readonly<Record<string, number>>): void {
  if (!IS_LONG) return;
  const line = Object.entries(figures).map(([of, value]) => `${of} ${Number(value.toPrecision(4))}`);
  console.log(`${name}: ${line.join('; ')}`);
}
