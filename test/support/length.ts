/** Whether the tests run for as long as it takes to be convincing (`npm run reliability`), or briefly. */
export const IS_LONG = process.env.RELIABILITY === 'long';

/** How much of something a test does: little in `npm test`, enough in `npm run reliability`. */
export function amount({ short, long }: { readonly short: number; readonly long: number }): number {
  return IS_LONG ? long : short;
}

/** The numbers of so many rounds, from 1 on. */
export function rounds(of: { readonly short: number; readonly long: number }): number[] {
  return Array.from({ length: amount(of) }, (_, index) => index + 1);
}
