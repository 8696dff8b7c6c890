import { z } from 'zod';
import { ApiError } from '../../formats/errors/api-error.js';
import { SHOWN_ELEMENTS, show, showAll } from '../../formats/errors/shown-value.js';
import { assumptionsOf, queryNumber } from '../../formats/request/option-numbers.js';
import { NO_INTERVALS } from '../../formats/request/options.js';
import { type Issue, schemaError } from '../../formats/request/request-errors.js';
import type { PredictorData } from '../../prediction/predictor-data.js';

/** A parameter of the query that lists words, separated by commas. */
export function wordListSchema(name: string, allowed: readonly (string | number)[], description: string) {
  const known = allowed.map(String);
  const wrong = (value: unknown) => (value as string[]).filter((word) => !known.includes(word));
  const error = ({ input }: { input?: unknown }) =>
    `${name} can only list ${known.join(', ')}, separated by commas, not ${showAll(wrong(input))}`;
  const items = { type: typeof allowed[0] === 'number' ? 'integer' : 'string', enum: allowed };
  return z
    .unknown()
    .refine((value) => wrong(value).length === 0, { error })
    .optional()
    .meta({ type: 'array', items, description });
}

/** A number as text; any other text as it is, for the error message. */
function numberOf(text: string): number | string {
  const number = queryNumber(text);
  return Number.isNaN(number) ? text : number;
}

/**
 * Reads the query of a table or surface.
 * @param readers of the other parameters that are no numbers, by name
 * @returns all values, whether intervals are asked for, and the assumptions that differ from their defaults
 * @throws ApiError invalid_request with every issue found
 */
export function readQuery(
  schema: z.ZodObject,
  parameters: Readonly<Record<string, unknown>>,
  readers: Readonly<Record<string, (text: string) => unknown>>,
  data: PredictorData,
) {
  const known = Object.keys(schema.shape);
  const readerOf: typeof readers = { include: (text) => text.split(',').filter(Boolean), ...readers };
  const values: Record<string, unknown> = {};
  const issues: Issue[] = [];
  const refuse = (path: string, message: string) => issues.push({ path, message });
  for (const [name, text] of Object.entries(parameters)) {
    if (!known.includes(name))
      refuse(name, `${show(name)} is not a parameter of the query: these are ${known.join(', ')}`);
    else if (typeof text !== 'string') refuse(name, `${name} must be given once`);
    else values[name] = (readerOf[name] ?? numberOf)(text);
  }
  const intervals = (values.include as string[] | undefined)?.includes('intervals') ?? false;
  if (intervals && data.manifest.interval_level === null) refuse('include', NO_INTERVALS);
  const error = schemaError(schema, values, issues.slice(0, SHOWN_ELEMENTS)); // thousands go into an address
  if (error !== undefined) throw new ApiError(error);
  const assumed: Record<string, number> = {};
  for (const { name, default: defaultValue = 0 } of assumptionsOf(data))
    if ((values[name] ?? defaultValue) !== defaultValue) assumed[name] = values[name] as number;
  return { values, intervals, assumed };
}
