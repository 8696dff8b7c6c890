import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import {
  batchResponseSchema,
  compareResponseSchema,
  predictionResultSchema,
  rankingResponseSchema,
} from '../../src/http/response/schemas.js';
import { parseErrorBody } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  '/v1/predict': predictionResultSchema,
  '/v1/predict/batch': batchResponseSchema,
  '/v1/predict/compare': compareResponseSchema,
  '/v1/predict/rank': rankingResponseSchema,
};
const CALLERS_FAULTS = new Set([400, 413, 415, 422]);

const JSON_VALUE = fc.jsonValue({ maxDepth: 2 });

/** A value that is right more often than not, else any JSON, else missing. */
const mostly = (right: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 30, arbitrary: right },
    { weight: 1, arbitrary: JSON_VALUE },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const place = {
  latitude: mostly(fc.double({ min: 41, max: 50, noNaN: true })),
  longitude: mostly(fc.double({ min: -125, max: -116, noNaN: true })),
};
/** An entry near a valid one. */
const entry = fc.record({
  ...place,
  species_code: mostly(fc.constantFrom('PSME', 'TSHE', 'QUAG')),
  planting_method: mostly(fc.constantFrom('manual', 'drone_seeded', 'broadcast')),
  horizons: mostly(fc.array(fc.constantFrom(1, 3, 5), { minLength: 1 })),
});
const batch = fc.record({ requests: mostly(fc.array(fc.oneof(entry, JSON_VALUE), { maxLength: 8 })) });

const ranking = fc.record({
  ...place,
  species_codes: mostly(fc.array(fc.constantFrom('PSME', 'TSHE'), { minLength: 1 })),
  planting_methods: mostly(fc.array(fc.constantFrom('manual', 'drone_seeded'), { minLength: 1 })),
  native_only: mostly(fc.boolean()),
});

/** The bytes of a valid body with some of them replaced, inserted or cut out. */
const damaged = fc
  .tuple(
    fc.oneof(entry, batch, fc.constant(PREDICT_REQUEST)),
    fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.uint8Array({ maxLength: 4 }))),
  )
  .map(([value, damages]) =>
    damages.reduce(
      (bytes, [at, cut, inserted]) => {
        const from = at % bytes.length;
        return Buffer.concat([
          bytes.subarray(0, from),
          inserted,
          bytes.subarray(from + cut),
          Buffer.from(' '),
        ]);
      },
      Buffer.from(JSON.stringify(value)),
    ),
  );

const body = fc.oneof(
  JSON_VALUE.map((value) => JSON.stringify(value)),
  fc.oneof(entry, batch, ranking).map((value) => JSON.stringify(value)),
  damaged,
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
);

/** Any body to any endpoint, or one near a valid one of it. */
const request = fc.oneof(
  fc.tuple(fc.constantFrom(...Object.keys(ANSWERS)), body),
  fc
    .oneof(
      fc.tuple(fc.constantFrom('/v1/predict', '/v1/predict/compare'), entry),
      fc.tuple(fc.constant('/v1/predict/batch'), batch),
      fc.tuple(fc.constant('/v1/predict/rank'), ranking),
    )
    .map(([path, value]) => [path, JSON.stringify(value)] as const),
);

const service = await serviceOfFile();

test('10,000 random bodies each get a valid response or the error body of a 4xx, and never crash the service', async () => {
  const together = 50;
  const requests = fc.array(request, { minLength: together, maxLength: together });
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      await Promise.all(
        sent.map(async ([path, content]) => {
          const response = await service.post(path, content);
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          const text = await response.text();
          if (response.status === 200) ANSWERS[path].parse(JSON.parse(text));
          else {
            parseErrorBody(text);
            expect(CALLERS_FAULTS).toContain(response.status);
          }
        }),
      );
    }),
    { numRuns: 10_000 / together },
  );
  // The bodies are varied enough to get each of these statuses.
  for (const status of [200, 400, 422]) expect(statuses.get(status)).toBeGreaterThan(500);
  expect((await service.get('/v1/health')).status).toBe(200);
});
