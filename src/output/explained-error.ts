/** A failure that its message explains to an operator, in one line. Any other error is a bug, whose stack is shown. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError';
}
