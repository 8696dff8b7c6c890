import { z } from 'zod';
import { adjustmentWidth, CONDITIONS, WARMING } from '../../prediction/conditions/adjustments.js';
import { perGeneration } from '../../prediction/per-generation.js';
import { describedNumber, isWithin, type OptionNumber, rangeMessage, SCENARIO } from './option-numbers.js';
import { conditionsOf, type OptionData } from './options.js';

/** The numbers that the query of a table or surface assumes for all its rows, by the name of their assumption. */
export type AssumedValues = Readonly<Record<string, number>>;

/** What may be assumed: a changed climate, and practice; each with its column in the adjustments of a row. */
export const assumptionsOf = perGeneration((data: OptionData): (OptionNumber & { column: number })[] => {
  const scenario = SCENARIO.map((number, index) => ({ ...number, column: WARMING + index }));
  const practice = conditionsOf(data).flatMap((number, index) =>
    number.default === undefined ? [] : [{ ...number, column: CONDITIONS + index }],
  );
  return [...scenario, ...practice];
});

/** The schema of each assumption, by its name. */
export function assumptionSchemas(data: OptionData): Record<string, z.ZodOptional> {
  const schemas = assumptionsOf(data).map((number) => {
    const about = number.default === undefined ? 'A changed climate' : 'Practice';
    const schema = z
      .unknown()
      .refine((value) => isWithin(value, number), { error: ({ input }) => rangeMessage(number, input) })
      .optional()
      .meta({ ...describedNumber(number), description: `${about}, in ${number.unit}.` });
    return [number.name, schema] as const;
  });
  return Object.fromEntries(schemas);
}

/** The adjustments of a row for which something is assumed; NaN for what is not, or is the default. */
export function adjustmentsFor(assumed: AssumedValues, data: OptionData): Float64Array {
  const adjustments = new Float64Array(adjustmentWidth(data.manifest)).fill(Number.NaN);
  for (const { name, column, ...number } of assumptionsOf(data)) {
    const value = assumed[name];
    if (value !== undefined && value !== number.default) adjustments[column] = value;
  }
  return adjustments;
}
