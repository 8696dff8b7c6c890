import type { Spread } from '../testing/statistics.js';

/** One line of the bench's result. */
export interface Row {
  readonly scope: string;
  readonly what: string;
  readonly figures: Readonly<Record<string, Spread | number>>;
  /** A ratio with a target. */
  readonly target?: { readonly ratio: number; readonly rule: string; readonly met: boolean };
}

/** A figure with three significant digits, or as an integer from 100 on. */
function plain(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

function figureText(figure: Spread | number): string {
  if (typeof figure === 'number') return plain(figure);
  return `${plain(figure.median)} (${plain(figure.min)}..${plain(figure.max)})`;
}

/** The result as one table: median (minimum..maximum) of the rounds. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ scope, what, figures, target }) => {
    const texts = Object.entries(figures).map(([name, figure]) => `${name} ${figureText(figure)}`);
    const verdict =
      target === undefined
        ? ''
        : `  -> ${plain(target.ratio)}, ${target.rule}: ${target.met ? 'met' : 'NOT MET'}`;
    return [scope, what, texts.join('   ') + verdict] as const;
  });
  const width = (column: 0 | 1) => Math.max(...lines.map((line) => line[column].length));
  const [first, second] = [width(0), width(1)];
  return lines
    .map(([scope, what, text]) => `${scope.padEnd(first)}  ${what.padEnd(second)}  ${text}`)
    .join('\n');
}
