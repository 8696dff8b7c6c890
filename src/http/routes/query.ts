import { z } from 'zod';
import { type AssumedValues, assumptionsOf, queryNumber } from '../../formats/request/option-numbers.js';
import { NO_INTERVALS } from '../../formats/request/options.js';
import { type Issue, invalidRequest } from '../../formats/request/request-errors.js';
import { ApiError } from '../../prediction/errors/api-error.js';
import { SHOWN_ELEMENTS, show, showAll } from '../../prediction/errors/shown-value.js';
import type { PredictorData } from '../../prediction/predictor.js';

/** What the queries of tables and surfaces have in common, and the values of all their parameters. */
interface ReadQuery {
  readonly values: Readonly<Record<string, unknown>>;
  readonly intervals: boolean;
  /** What it assumes of climate and practice, unless that changes nothing. */
  readonly assumed: AssumedValues;
}

/** A list of words that a query may have, as `words` reads it. */
export function listSchema(name: string, allowed: readonly (string | number)[], description: string) {
  const known = allowed.map(String);
  const wrong = (value: unknown) => (value as string[]).filter((word) => !known.includes(word));
  const error = ({ input }: { input?: unknown }) =>
    `${name} can only list ${known.join(', ')}, separated by commas, not ${showAll(wrong(input))}`;
  return z
    .unknown()
    .refine((value) => wrong(value).length === 0, { error })
    .optional()
    .meta({ type: 'array', items: { enum: allowed }, description });
}

export function includeSchema(description: string) {
  return listSchema('include', ['intervals'], description);
}

export function words(text: string): string[] {
  return text.split(',');
}

/** A number as text; any other text as it is, for the error message. */
function numberOf(text: string): number | string {
  const number = queryNumber(text);
  return Number.isNaN(number) ? text : number;
}

/** The words of a list that may be empty. */
function wordsOrNone(text: string): string[] {
  return words(text).filter((word) => word !== '');
}

/**
 * Reads the query of a table or surface.
 * @param parameters as in the address; an array where one is given several times
 * @param readers of the parameters that are no numbers, by name
 * @throws ApiError invalid_request with every issue found
 */
export function readQuery(
  schema: z.ZodObject,
  parameters: Readonly<Record<string, unknown>>,
  readers: Readonly<Record<string, (text: string) => unknown>>,
  data: PredictorData,
): ReadQuery {
  const known = Object.keys(schema.shape);
  const values: Record<string, unknown> = {};
  const issues: Issue[] = [];
  const refuse = (path: string, message: string) => issues.push({ path, message });
  for (const [name, text] of Object.entries(parameters)) {
    if (!known.includes(name))
      refuse(name, `${show(name)} is not a parameter of the query: these are ${known.join(', ')}`);
    else if (typeof text !== 'string') refuse(name, `${name} must be given once`);
    else values[name] = (name === 'include' ? wordsOrNone : (readers[name] ?? numberOf))(text);
  }
  const intervals = (values.include as string[] | undefined)?.includes('intervals') ?? false;
  if (intervals && data.manifest.interval_level === null) refuse('include', NO_INTERVALS);
  const error = invalidRequest(schema, values, issues.slice(0, SHOWN_ELEMENTS)); // thousands go into an address
  if (error !== undefined) throw new ApiError(error);
  const assumed = assumptionsOf(data).flatMap(({ name, default: usual = 0 }) =>
    values[name] === undefined || values[name] === usual ? [] : [[name, values[name] as number] as const],
  );
  return { values, intervals, assumed: Object.fromEntries(assumed) };
}
