import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { isKeyId, isOwner, OWNER_RULE } from '../accounts/api-key.js';
import { type AccountDump, accountDump, must } from '../accounts/store/account-dump.js';
import { TIER_NAMES } from '../accounts/tiers.js';
import { wholeNumber } from '../config.js';
import { quote, shorten } from '../output/printable.js';
import { parseOptions, refusePositionals, UsageError } from './command-line.js';

const OVERLAP_MAX_MINUTES = 30 * 24 * 60;
const MS_PER_MINUTE = 60_000;

export const tier = z.enum(TIER_NAMES, must(`one of ${TIER_NAMES.join(', ')}`));

/** The person or group that a key is issued to. */
export const owner = z.string(must(OWNER_RULE)).trim().refine(isOwner, must(OWNER_RULE));

export const keyId = z
  .string(must('the id of a key, which "keys list" shows'))
  .refine(isKeyId, must('an id such as key_0123456789ab, which "keys list" shows'));

/** Minutes as milliseconds. */
export const overlapMs = wholeNumber(0, OVERLAP_MAX_MINUTES)
  .transform((minutes) => minutes * MS_PER_MINUTE)
  .default(0);

export const day = z.iso.date(must('a UTC day such as 2026-11-20')).optional();

/** The content of a file, read before the command opens a store. */
export const dump = z.string(must('a file written by "keys export"')).transform(readDump);

/**
 * Parses the arguments of a command, which may also have `--json`.
 * @param schema the options, under their names, and at most one operand, under a name in capitals
 * @throws UsageError naming the option or operand
 */
export function parseArguments<Shape extends z.ZodRawShape>(args: readonly string[], schema: Shape) {
  const isOperand = (name: string) => name === name.toUpperCase();
  const names = Object.keys(schema);
  const operands = names.filter(isOperand);
  const options = names.filter((name) => !isOperand(name)).map((name) => [name, { type: 'string' }] as const);
  const { values, positionals } = parseOptions(args, {
    ...Object.fromEntries(options),
    json: { type: 'boolean' },
  });
  refusePositionals(positionals.slice(operands.length));
  const { json = false, ...given }: Record<string, unknown> = values;
  for (const name of operands) given[name] = positionals[0];
  const parsed = z.object(schema).safeParse(given);
  if (parsed.success) return { json: json === true, values: parsed.data };
  const [{ path, message }] = parsed.error.issues;
  const name = String(path[0]);
  const notGiven = given[name] === undefined ? '' : `, not ${quote(String(given[name]))}`;
  throw new UsageError(`${isOperand(name) ? '' : '--'}${name} ${message}${notGiven}`);
}

/** @throws UsageError */
function readDump(file: string): AccountDump {
  const json = readJson(file);
  const dump = accountDump.safeParse(json);
  if (dump.success) return dump.data;
  const [{ path, message }] = dump.error.issues;
  const value = path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown>)?.[name], json);
  const given = typeof value === 'object' || value === undefined ? '' : ` (${quote(String(value))})`;
  throw new UsageError(
    `${quote(file)} is not a file of "keys export": ${path.join('.') || 'content'}: ${shorten(message)}${given}`,
  );
}

function readJson(file: string): unknown {
  try {
    const stat = statSync(file);
    // A device such as /dev/zero has no end.
    if (!stat.isFile() && !stat.isFIFO()) throw new Error('it is not a file');
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${quote(file)} cannot be read as JSON: ${shorten((error as Error).message)}`);
  }
}
