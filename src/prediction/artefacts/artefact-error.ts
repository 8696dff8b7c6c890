import { ExplainedError } from '../../output/explained-error.js';

/** A file of the grid or the models that is missing, corrupt or does not fit the others. The message names the file. */
export class ArtefactError extends ExplainedError {
  override readonly name = 'ArtefactError';

  constructor(
    readonly file: string,
    readonly problem: string,
  ) {
    super(`${file}: ${problem}`);
  }
}

/** Why models could not be opened, as plain data: errors lose their class and fields between threads and processes. */
export interface ArtefactFailure {
  readonly kind: 'refused';
  /** The unusable file; undefined where the error is not an ArtefactError. */
  readonly file: string | undefined;
  readonly problem: string;
}

export function failureOf(error: Error): ArtefactFailure {
  return error instanceof ArtefactError
    ? { kind: 'refused', file: error.file, problem: error.problem }
    : { kind: 'refused', file: undefined, problem: String(error.stack) };
}

/** The error that `failureOf` was given: an ArtefactError where it names a file. */
export function errorOf({ file, problem }: ArtefactFailure): Error {
  return file === undefined ? new Error(problem) : new ArtefactError(file, problem);
}
