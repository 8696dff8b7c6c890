/** A file of the grid or the models that is missing, corrupt or does not fit the others. The message names the file. */
export class ArtefactError extends Error {
  override readonly name = 'ArtefactError';

  constructor(
    readonly file: string,
    readonly problem: string,
  ) {
    super(`${file}: ${problem}`);
  }
}

/** The first problem that zod found in a file's content, as one line. */
export function firstProblem(error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0];
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
