import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { costTimes, plantingOrder } from '../../src/formats/plan/plan-answer.js';
import { planResponseSchema, predictionResultSchema } from '../../src/http/response/schemas.js';
import { HORIZONS, PLANTING_METHODS } from '../../src/prediction/dimensions.js';
import { greatCircleKm } from '../../testing/oracle/plain-nearest-point.js';
import { readPredictorData } from '../../testing/project.js';
import { type PolygonRings, rectangle } from '../prediction/support/outlines.js';
import { placesOf, pointsInside } from '../prediction/support/synthetic-points.js';
import { forAll } from '../support/for-all.js';
import { sharedService } from '../support/service.js';
import { collection, FOREST_RING, PLAN_REQUEST, unit } from './support/units.js';

const { grid, species } = readPredictorData();
const places = placesOf(grid.index);
const speciesIndex = (code: string) => species.findIndex(({ species_code }) => species_code === code);

const service = await sharedService();

type Plan = z.output<typeof planResponseSchema>;
type Unit = Extract<Plan['units'][number], { options: unknown }>;

async function plan(body: unknown): Promise<Plan> {
  const response = await service.post('/v1/plan', body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return planResponseSchema.parse(JSON.parse(text));
}

async function units(body: unknown): Promise<Unit[]> {
  return (await plan(body)).units.map((each) => {
    expect(each).not.toHaveProperty('error');
    return each as Unit;
  });
}

/** Survival and interval by POST /v1/predict. */
async function predictAt(latitude: number, longitude: number, options: object) {
  const body = { latitude, longitude, include: ['intervals'], ...options };
  const { predictions } = predictionResultSchema.parse(
    await (await service.post('/v1/predict', body)).json(),
  );
  const [{ survival_probability, interval }] = predictions;
  return { survival: survival_probability, low: interval!.low, high: interval!.high };
}

const pointsIn = (rings: PolygonRings) => pointsInside(grid.index, rings);

/** Rounded to 4 decimals, half up in ten-thousandths as all numbers are. */
const meanOf = (values: readonly number[]) => {
  const tenThousandths = values.reduce((sum, value) => sum + Math.round(value * 10_000), 0);
  return Math.round(tenThousandths / values.length) / 10_000;
};

/** A quantile, linear between the values: type 7 of R, the default of numpy. Rounded as all numbers are. */
const quantile = (values: readonly number[], share: number) => {
  const sorted = values.toSorted((a, b) => a - b);
  const [index, rest] = [Math.floor((values.length - 1) * share + 1e-9), ((values.length - 1) * share) % 1];
  const [below, above] = [sorted[index], sorted[Math.min(index + 1, values.length - 1)]];
  return Math.round((below + (above - below) * (rest > 1 - 1e-9 ? 0 : rest)) * 10_000 + 1e-7) / 10_000;
};

/** What is reported of the survival at several sites. */
function summaryOf(singles: readonly { survival: number; low: number; high: number }[]) {
  const all = singles.map(({ survival }) => survival);
  const low = meanOf(singles.map((single) => single.low));
  const high = meanOf(singles.map((single) => single.high));
  return { mean: meanOf(all), low, high, p10: quantile(all, 0.1), p90: quantile(all, 0.9) };
}

const WITH_HOLE: PolygonRings = [FOREST_RING, rectangle(-122.045, 44.105, -122.035, 44.115)];

test.each(HORIZONS)(
  'survival and interval at %i years are means and percentiles of single predictions at the data points',
  async (horizon) => {
    const scenario = horizon === 3 ? { scenario: { warming_c: 2 } } : {};
    const body = {
      units: collection(unit(1, ...WITH_HOLE)),
      species_codes: ['PSME', 'TSHE'],
      horizon,
      ...scenario,
    };
    const [answer] = await units(body);
    const points = pointsIn(WITH_HOLE);
    expect(points.length).toBeGreaterThan(3);
    expect(answer.data_points).toBe(points.length);
    expect(answer.options.length).toBe(4);
    for (const { species_code, planting_method, survival } of answer.options) {
      const options = { species_code, planting_method, horizons: [horizon], ...scenario };
      const single = await Promise.all(
        points.map((point) => predictAt(places[point][1], places[point][0], options)),
      );
      expect(survival).toEqual(summaryOf(single));
      expect(survival.p10).toBeLessThan(survival.p90);
    }
  },
);

test('a unit without a data point uses the nearest to its centroid', async () => {
  const [longitude, latitude] = places[pointsIn([FOREST_RING])[0]];
  // North-east of a point, by a third of the distance to the next.
  const ring = rectangle(longitude + 0.002, latitude + 0.002, longitude + 0.003, latitude + 0.003);
  const [answer] = await units({ units: collection(unit('small', ring)), species_codes: ['PSME'] });
  expect(answer.data_points).toBe(0);
  const [east, north] = [longitude + 0.0025, latitude + 0.0025];
  expect(answer.nearest_km).toBeCloseTo(greatCircleKm(east, north, longitude, latitude), 2);
  for (const { planting_method, survival } of answer.options) {
    const at = { species_code: 'PSME', planting_method, horizons: [5] };
    const rounded = (degrees: number) => Math.round(degrees * 1e5) / 1e5;
    const single = await predictAt(rounded(north), rounded(east), at);
    expect(survival).toEqual(summaryOf([single]));
  }
});

test('a unit gets its area, its id and the distance from its centroid to the nearest data point', async () => {
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } };
  const body = { units: { ...collection(unit('a "b"\n', FOREST_RING), unit(-1.5, ...WITH_HOLE)), crs } };
  const { units: answers, horizon_years, model } = await plan(body);
  expect(answers.map(({ id }) => id)).toEqual(['a "b"\n', -1.5]);
  // By pyproj.Geod: see outline-measures.test.ts; the hole is a quarter of the square to 0.1%.
  const [square, holed] = answers as Unit[];
  expect(square.area_ha).toBe(355.8232);
  expect(holed.area_ha / square.area_ha).toBeCloseTo(0.75, 3);
  const distances = pointsIn([FOREST_RING]).map((point) => greatCircleKm(-122.04, 44.11, ...places[point]));
  const nearest = Math.min(...distances);
  expect(square.nearest_km).toBe(Math.round(nearest * 1000) / 1000);
  expect(horizon_years).toBe(5);
  expect(model.series).toBe('Nurselog');
});

test('by default all species native to half of the data points are ranked with both methods, best first', async () => {
  const [answer] = await units({ units: collection(unit('u', FOREST_RING)) });
  const points = pointsIn([FOREST_RING]);
  const share = (index: number) =>
    points.filter((point) => ((grid.nativeRanges[point] >>> index) & 1) === 1).length / points.length;
  const native = species.flatMap(({ species_code }, index) => (share(index) >= 0.5 ? [species_code] : []));
  expect(native.length).toBeGreaterThan(3);
  const listed = answer.options.map(
    ({ species_code, planting_method }) => `${species_code} ${planting_method}`,
  );
  expect(listed.toSorted()).toEqual(
    native.flatMap((code) => PLANTING_METHODS.map((method) => `${code} ${method}`)).toSorted(),
  );
  expect(answer.options.map(({ rank }) => rank)).toEqual(answer.options.map((_, i) => i + 1));
  const means = answer.options.map(({ survival }) => survival.mean);
  expect(means).toEqual(means.toSorted((a, b) => b - a));
  for (const { survival } of answer.options) {
    expect(survival.low).toBeLessThanOrEqual(survival.mean);
    expect(survival.high).toBeGreaterThanOrEqual(survival.mean);
  }
});

test('with native_only false species beyond their range are listed as such, and a range over half of the points counts', async () => {
  // Strips across the edge of a native range: some points inside, some outside.
  const index = speciesIndex('PIPO');
  const isNative = (point: number) => ((grid.nativeRanges[point] >>> index) & 1) === 1;
  const { row, column } = grid.index;
  const isEdge = (point: number) =>
    row[point] === row[point - 1] &&
    column[point] === column[point - 1] + 1 &&
    isNative(point) !== isNative(point - 1);
  const edges = Array.from(places.keys()).filter(isEdge);
  const strips = Array.from({ length: 40 }, (_, i) => {
    const [longitude, latitude] = places[edges[Math.floor((i * edges.length) / 40)]];
    const west = longitude + 0.012 * (i % 3) - 0.032;
    const ring = rectangle(west, latitude - 0.004, west + 0.04, latitude + 0.004);
    const points = pointsIn([ring]);
    return { ring, share: points.filter(isNative).length / points.length };
  });
  expect(strips.some(({ share }) => share > 0 && share < 0.5)).toBe(true);
  expect(strips.some(({ share }) => share >= 0.5 && share < 1)).toBe(true);
  const features = strips.map(({ ring }, i) => unit(i, ring));
  const isListed = strips.map(({ share }) => share >= 0.5);
  const body = { units: collection(...features), species_codes: ['PIPO'], planting_methods: ['manual'] };
  const all = await units({ ...body, native_only: false });
  const found = all.map(({ options }) => options.map(({ in_native_range }) => in_native_range));
  expect(found).toEqual(isListed.map((each) => [each]));
  const native = await units(body);
  expect(native.map(({ options }) => options.length)).toEqual(isListed.map(Number));
});

test('options with costs are ranked by cost per survivor: the cost divided by the reported survival', async () => {
  const costs = { manual: 1.25, drone_seeded: 0.31 };
  const [answer] = await units({ units: collection(unit('u', FOREST_RING)), costs });
  expect(answer.options.length).toBeGreaterThan(6);
  for (const { planting_method, survival, cost_per_survivor } of answer.options)
    expect(cost_per_survivor).toBe(Number((costs[planting_method] / survival.mean).toFixed(4)));
  const perSurvivor = answer.options.map((option) => option.cost_per_survivor!);
  expect(perSurvivor).toEqual(perSurvivor.toSorted((a, b) => a - b));
  const methods = new Set(answer.options.slice(0, 3).map(({ planting_method }) => planting_method));
  expect(methods).toEqual(new Set(['drone_seeded']));
  const [without] = await units({ units: collection(unit('u', FOREST_RING)) });
  for (const option of without.options) expect(option).not.toHaveProperty('cost_per_survivor');
});

test.each([
  ['mean', undefined, undefined],
  ['mean', 'mean', { manual: 1.25, drone_seeded: 0.31 }],
  ['low', 'low', { manual: 1.25, drone_seeded: 0.31 }],
] as const)(
  'an order is the target over %s survival, rounded up, by hectare and for the reported area (basis %s, costs %j)',
  async (divisor, basis, costs) => {
    const target = 437.5;
    const body = { ...PLAN_REQUEST, costs };
    const [without] = await units(body);
    const [answer] = await units({ ...body, target_per_ha: target, basis });
    const { area_ha, options } = answer;
    expect(options.map(({ order: _, ...option }) => option)).toEqual(without.options);
    for (const { survival, planting_method, order } of options) {
      const cost = costs?.[planting_method];
      // In integers: 437.5 is 4375 tenths, survival and area are ten-thousandths.
      const tenThousandths = BigInt(Math.round(survival[divisor] * 10_000));
      const roundedUp = (dividend: bigint, by: bigint) => Number((dividend + by - 1n) / by);
      const total = roundedUp(4375n * BigInt(Math.round(area_ha * 10_000)), 10n * tenThousandths);
      expect(order).toEqual({
        per_ha: roundedUp(4375n * 1000n, tenThousandths),
        total,
        ...(cost !== undefined && { cost: Math.round(total * cost * 100) / 100 }),
      });
    }
  },
);

test.each([
  [1.1, 0.1, 3.3, { per_ha: 11, total: 37 }], // 1.1 / 0.1 is 11.000000000000002 in doubles
  [0.07, 0.01, 100, { per_ha: 7, total: 700 }],
  [100_000, 0.0001, 50_000_000, { per_ha: 1e9, total: 5e16 }],
  [1e-7, 1, 1e-4, { per_ha: 1, total: 1 }],
  [400, 0, 12, null],
])('%d living trees at survival %d on %d ha need an order of %j', (target, survival, areaHa, order) => {
  expect(plantingOrder(target, survival, areaHa, undefined)).toEqual(order);
});

test('costs are multiplied and divided in decimal and then rounded half up', () => {
  expect(plantingOrder(1, 1, 1, 1.005)).toEqual({ per_ha: 1, total: 1, cost: 1.01 });
  expect(costTimes(1.5e-9, 10 ** 9, 1, 0)).toBe(2);
  const numbers = fc.tuple(fc.nat(10 ** 15), fc.nat(10 ** 9), fc.integer({ min: 1, max: 10_000 }));
  forAll(1000, [numbers], ([thousandths, numerator, denominator]) => {
    const [dividend, divisor] = [BigInt(thousandths) * BigInt(numerator), 10n * BigInt(denominator)];
    const cents = dividend / divisor + (((2n * dividend) / divisor) % 2n);
    expect(costTimes(thousandths / 1000, numerator, denominator, 2)).toBe(Number(`${cents}e-2`));
  });
});

test('a single method, repeated codes and conditions have the same effect as in a prediction', async () => {
  const conditions = { slope: 35 };
  const [answer] = await units({
    ...PLAN_REQUEST,
    species_codes: ['PSME', 'PSME'],
    planting_methods: ['manual', 'manual'],
    conditions,
  });
  expect(answer.options.length).toBe(1);
  const singles = await Promise.all(
    pointsIn([FOREST_RING]).map((point) => {
      const at = { species_code: 'PSME', planting_method: 'manual', horizons: [5], conditions };
      return predictAt(places[point][1], places[point][0], at);
    }),
  );
  expect(answer.options[0].survival.mean).toBe(meanOf(singles.map(({ survival }) => survival)));
});

test('a plan with more rows than fit into a job answers each unit as if it were alone', async () => {
  const rings = Array.from({ length: 60 }, (_, i) => {
    const [longitude, latitude] = places[(i * 7001) % places.length];
    return rectangle(longitude - 0.02, latitude - 0.02, longitude + 0.02, latitude + 0.02);
  });
  const together = await units({
    units: collection(...rings.map((ring, i) => unit(i, ring))),
    species_codes: ['PSME', 'ALRU'],
    native_only: false,
  });
  expect(together.reduce((sum, { data_points }) => sum + 2 * data_points, 0)).toBeGreaterThan(1000);
  for (const i of [0, 17, 59]) {
    const [alone] = await units({
      units: collection(unit(i, rings[i])),
      species_codes: ['PSME', 'ALRU'],
      native_only: false,
    });
    expect(together[i]).toEqual(alone);
  }
});

test('a plan without units has no results, and a unit outside the range of its species has no options', async () => {
  expect((await plan({ units: collection() })).units).toEqual([]);
  const [answer] = await units({ units: collection(unit('u', FOREST_RING)), species_codes: ['PISI'] });
  expect(answer.options).toEqual([]);
});

test('a plan, its units and their options have exactly the documented fields, in the documented order', async () => {
  const body = { ...PLAN_REQUEST, costs: { manual: 1, drone_seeded: 1 }, target_per_ha: 400 };
  const response = await service.post('/v1/plan', body);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const answer = JSON.parse(await response.text());
  const [{ options, ...fields }] = answer.units;
  const [{ survival, order }] = options;
  const option =
    'rank,species_code,species_common_name,planting_method,in_native_range,survival,cost_per_survivor,order';
  expect([answer, fields, options[0], survival, order].map((each) => Object.keys(each).join())).toEqual([
    'units,horizon_years,model,generated_at',
    'id,area_ha,data_points,nearest_km',
    option,
    'mean,low,high,p10,p90',
    'per_ha,total,cost',
  ]);
});
