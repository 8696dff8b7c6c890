/** A command line that cannot be carried out as typed; the message names the value and what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
