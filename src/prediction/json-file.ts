import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { ArtefactError, firstProblem } from './artefact-error.js';

/**
 * Reads a JSON file and checks it against a schema.
 * @throws ArtefactError naming the file when it cannot be read, is not JSON, or does not fit the schema.
 */
export function readJsonFile<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(file, readArtefact(file).toString('utf8')));
  if (!parsed.success) throw new ArtefactError(file, firstProblem(parsed.error));
  return parsed.data;
}

/** The bytes of a file. @throws ArtefactError naming the file when it cannot be read. */
export function readArtefact(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ArtefactError(file, code === 'ENOENT' ? 'the file is missing' : `cannot be read (${code})`);
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArtefactError(file, 'is not valid JSON');
  }
}
