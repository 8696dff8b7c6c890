import type { z } from 'zod';
import { ArtefactError, firstProblem } from './artefact-error.js';
import type { ArtefactFile } from './artefact-file.js';

/**
 * Parses a JSON file and checks it against a schema.
 * @throws ArtefactError naming the file when it is not JSON or does not fit the schema.
 */
export function parseJsonFile<Schema extends z.ZodType>(
  { path, bytes }: ArtefactFile,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(path, bytes.toString('utf8')));
  if (!parsed.success) throw new ArtefactError(path, firstProblem(parsed.error));
  return parsed.data;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArtefactError(file, 'is not valid JSON');
  }
}
