/** The value below which a share of the sorted values lies. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Median, least and most of a figure's rounds. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0], max: sorted.at(-1)! };
}
