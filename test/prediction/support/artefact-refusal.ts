import { expect } from 'vitest';
import { ArtefactError } from '../../../src/prediction/artefacts/artefact-file.js';

/** Expects an attempt to be refused with an ArtefactError that names the file and states the problem. */
export async function expectRefusal(
  attempt: () => unknown,
  file: string,
  problem: string | RegExp,
): Promise<void> {
  const error = await Promise.resolve()
    .then(attempt)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(ArtefactError);
  const { file: named, message, problem: stated } = error as ArtefactError;
  expect(named).toBe(file);
  expect(message).toBe(`"${file}": ${stated}`);
  expect(stated).toMatch(problem);
  expect(message).not.toContain('\n');
}
