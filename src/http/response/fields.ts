import { z } from 'zod';
import { horizonSchema, plantingMethodSchema } from '../../prediction/artefacts/manifest.js';

// What the schemas of responses are made of: `import * as field`.

/** An object with exactly these fields, which has a name in /openapi.json. */
export function component<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape).meta({ id });
}

/** A field with an example and, where its name does not say what it is, a description. */
export function of<Schema extends z.ZodType>(schema: Schema, example: unknown, description?: string) {
  return schema.meta({ ...(description !== undefined && { description }), examples: [example] }) as Schema;
}

export const text = (example: string, description?: string) => of(z.string(), example, description);
export const number = (example: number, description?: string) => of(z.number(), example, description);
export const count = (example: number, description?: string) => of(z.int().min(0), example, description);
export const nonNegative = (example: number, description?: string) =>
  of(z.number().min(0), example, description);
export const flag = (example: boolean, description?: string) => of(z.boolean(), example, description);
export const share = (example: number, description?: string) =>
  of(z.number().min(0).max(1), example, description);

export const horizonYears = horizonSchema;
export const speciesCode = text('PSME', 'As requested.');
export const speciesCommonName = text('Douglas-fir');
export const plantingMethod = plantingMethodSchema;

export const modelSchema = component('Model', {
  version: text('pnw_v1_6_lodgepole'),
  codename: text('lodgepole'),
  series: text('Nurselog'),
});

export const instant = z.iso.datetime({ precision: 3 });
export const generatedAt = of(instant, '2026-11-22T11:17:47.575Z');
