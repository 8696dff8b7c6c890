import type { PlainOptions } from './plain-climate.js';

export interface PlainFeature {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly risk_factor: boolean;
  /** Absent for a feature of practice, which has a default. */
  readonly training?: { readonly p1: number; readonly p99: number };
  readonly default?: number;
  /** The planting methods that a feature of practice concerns; absent for all. */
  readonly methods?: readonly string[];
}

/** The fields that `include: ["explanation"]` adds to a prediction. */
export function explanation(
  features: readonly PlainFeature[],
  inputs: Float32Array,
  averages: readonly number[],
  baseline: number,
  contributions: Float32Array,
  method: string,
) {
  return {
    baseline: rounded(baseline, 6),
    contributions: features
      .map(({ name, label, unit, methods = [method] }, i) => ({
        isConcerned: methods.includes(method),
        reported: {
          feature: name,
          factor: label,
          contribution: rounded(contributions[i], 6),
          value: rounded(inputs[i], 3),
          unit,
          average: rounded(averages[i], 3),
        },
      }))
      .filter(({ isConcerned }) => isConcerned)
      .map(({ reported }) => reported)
      .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)),
  };
}

/**
 * The fields that `include: ["site"]` adds to the site.
 * @param ranges bit i is set in the native range of species i
 */
export function siteDetails(
  features: readonly PlainFeature[],
  inputs: Float32Array,
  elevation: number,
  ranges: number,
  species: number,
) {
  return {
    matched_elevation_m: elevation,
    in_native_range: Math.floor(ranges / 2 ** species) % 2 === 1,
    outside_training: features
      .filter(
        ({ training }, i) =>
          training !== undefined &&
          (inputs[i] < Math.fround(training.p1) || inputs[i] > Math.fround(training.p99)),
      )
      .map(({ name }) => name),
  };
}

export function includes({ include = [] }: PlainOptions, word: string): boolean {
  return include.includes(word);
}

export function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
