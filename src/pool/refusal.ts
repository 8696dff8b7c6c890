import { ArtefactError } from '../prediction/artefacts/artefact-error.js';

/** Why models were not opened, as it goes between threads and processes, where errors lose their class. */
export interface Refusal {
  readonly kind: 'refused';
  /** The file that is not usable; nothing where something else went wrong. */
  readonly file: string | undefined;
  readonly problem: string;
}

export function refusalOf(error: Error): Refusal {
  const { file, problem } = error as Partial<ArtefactError>;
  return { kind: 'refused', file, problem: problem ?? String(error.stack) };
}

/** The error again: an ArtefactError where a file was named. */
export function errorOf({ file, problem }: Refusal): Error {
  return file === undefined ? new Error(problem) : new ArtefactError(file, problem);
}
