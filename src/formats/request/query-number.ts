const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The number that a parameter of a query is, in decimal or scientific notation; NaN for any other text. */
export function queryNumber(text: string): number {
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}
