import { expect } from 'vitest';

/**
 * The last bits of onnxruntime's results differ between runs of one row and of many. Numbers of 6 decimals show them;
 * ends of intervals, which lie between draws, and of some 100,000 numbers of 4 decimals a few are rounded to the other side.
 */
const TOLERANCES: Readonly<Record<string, number>> = {
  baseline: 2.1e-6,
  contribution: 2.1e-6,
  low: 1.01e-4,
  high: 1.01e-4,
  magnitude: 1.01e-4,
  survival_probability: 1.01e-4,
  manual_advantage: 2.01e-4,
};

/** Expects an answer to be another byte for byte, but for the last decimal of numbers that show the last bits of a model. */
export function expectSameAnswer(actual: string, expected: string): void {
  if (actual === expected) return;
  if (!isJson(actual) || !isJson(expected)) expect(actual).toBe(expected);
  expect(JSON.stringify(tolerated(JSON.parse(actual), JSON.parse(expected)))).toBe(expected);
}

/** Whether it is an answer, not the code of an error. */
function isJson(text: string): boolean {
  return /^[{[]/.test(text);
}

/** A value with the other's numbers where they are within the tolerance. */
function tolerated(value: unknown, other: unknown): unknown {
  if (typeof value !== 'object' || value === null || typeof other !== 'object' || other === null)
    return value;
  if (Array.isArray(value) && Array.isArray(other)) {
    const elements = isContributions(value) ? inOrderOf(value, other as Contribution[]) : value;
    return elements.map((element, i) => tolerated(element, other[i]));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const counterpart = (other as Record<string, unknown>)[key];
      const isTolerated = Math.abs(Number(member) - Number(counterpart)) < TOLERANCES[key];
      return [key, isTolerated ? counterpart : tolerated(member, counterpart)];
    }),
  );
}

interface Contribution {
  readonly feature: string;
  readonly contribution: number;
}

function isContributions(values: unknown[]): values is Contribution[] {
  return values.length > 0 && Object.hasOwn(Object(values[0]), 'contribution');
}

/** Contributions, which must be sorted by size, in another order: sizes within the tolerance may change places. */
function inOrderOf(contributions: Contribution[], others: readonly Contribution[]): Contribution[] {
  const sizes = contributions.map(({ contribution }) => Math.abs(contribution));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  const order = others.map(({ feature }) => feature);
  return contributions.toSorted((a, b) => order.indexOf(a.feature) - order.indexOf(b.feature));
}
