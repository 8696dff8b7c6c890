import { z } from 'zod';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';

// What the schemas of several responses have in common.

/** An object with exactly these fields, which has a name in /openapi.json. */
export function component<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape).meta({ id });
}

/** Describes a field with an example. */
export function about(description: string, example: unknown) {
  return { description, examples: [example] };
}

export const probability = z.number().min(0).max(1);
export const horizonYears = z.literal([...HORIZONS]);
export const speciesCode = z.string().meta(about('As requested.', 'PSME'));
export const speciesCommonName = z.string().meta({ examples: ['Douglas-fir'] });
export const plantingMethod = z.enum(PLANTING_METHODS);

export const modelSchema = component('Model', {
  version: z.string().meta({ examples: ['pnw_v1_3_hemlock'] }),
  codename: z.string().meta({ examples: ['hemlock'] }),
  series: z.string().meta({ examples: ['Nurselog'] }),
});

export const instant = z.iso.datetime({ precision: 3 });
export const generatedAt = instant.meta({ examples: ['2026-11-22T11:17:47.575Z'] });

export const count = z.int().min(0);
/** A count with an example. */
export const counted = (example: number) => count.meta({ examples: [example] });
