/** Whether the tests run in their long form (`npm run reliability`) or in their short one (`npm test`). */
export const IS_LONG = process.env.RELIABILITY === 'long';

/** The size of a test in the form that runs: see `IS_LONG`. */
export function amount({ short, long }: { readonly short: number; readonly long: number }): number {
  return IS_LONG ? long : short;
}

/** The numbers of the rounds, from 1 on. */
export function rounds(of: { readonly short: number; readonly long: number }): number[] {
  return Array.from({ length: amount(of) }, (_, index) => index + 1);
}
