import { expect, test } from 'vitest';
import {
  batchResponseSchema,
  compareResponseSchema,
  predictionResultSchema,
} from '../../src/http/response/schemas.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { addIntervalModels } from '../prediction/support/interval-models.js';
import { expectSameAnswer } from '../prediction/support/same-answer.js';
import { COMPARE_REQUEST, PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const INCLUDE = { include: ['intervals'] };

const copy = new ProjectCopy();
addIntervalModels(copy);
const service = await serviceOfFile({ MODEL_DIR: copy.modelDir });
copy.remove();

interface Interval {
  readonly level: number;
  readonly low: number;
  readonly high: number;
}

function expectAround(value: number, { level, low, high }: Interval): void {
  expect(level).toBe(0.8);
  expect(low).toBeLessThanOrEqual(value);
  expect(high).toBeGreaterThanOrEqual(value);
  for (const end of [low, high]) expect(Math.round(end * 10_000) / 10_000).toBe(end);
}

test('each prediction and each difference of a comparison gets an interval around its value', async () => {
  const response = await service.post('/v1/predict/compare', { ...COMPARE_REQUEST, ...INCLUDE });
  const { comparison, method_differential } = compareResponseSchema.parse(await response.json());
  for (const { predictions } of Object.values(comparison))
    for (const { survival_probability, interval } of predictions)
      expectAround(survival_probability, interval!);
  for (const { manual_advantage, interval } of method_differential) expectAround(manual_advantage, interval!);
  const widths = (of: readonly { interval?: Interval }[]) =>
    of.map(({ interval }) => interval!.high - interval!.low);
  const { manual, drone_seeded } = comparison;
  expect(widths(method_differential)).not.toEqual(
    widths(manual.predictions).map((width, i) => width - widths(drone_seeded.predictions)[i]),
  );
});

test('in a batch only the entries that ask for intervals have them, as each would alone', async () => {
  const requests = scatteredSites(500).map((site, i) => ({
    ...PREDICT_REQUEST,
    ...site,
    ...(i % 2 === 0 && INCLUDE),
  }));
  const response = await service.post('/v1/predict/batch', { requests });
  const { results } = batchResponseSchema.parse(await response.json());
  const answered = results.flatMap((result, i) =>
    'site' in result ? [{ result, request: requests[i] }] : [],
  );
  expect(answered.length).toBeGreaterThan(50);
  for (const { result, request } of answered.slice(0, 40)) {
    const response = await service.post('/v1/predict', request);
    const { predictions } = predictionResultSchema.parse(await response.json());
    expectSameAnswer(JSON.stringify(result.predictions), JSON.stringify(predictions));
    for (const { interval } of predictions) expect(interval === undefined).toBe(!('include' in request));
  }
});

test('intervals are given for the horizons asked for, before the explanation', async () => {
  const body = { ...PREDICT_REQUEST, horizons: [5, 1], include: ['explanation', 'intervals', 'site'] };
  const { predictions, site } = predictionResultSchema.parse(
    await (await service.post('/v1/predict', body)).json(),
  );
  expect(predictions.map(({ horizon_years }) => horizon_years)).toEqual([1, 5]);
  for (const prediction of predictions) {
    expect(Object.keys(prediction)).toEqual([
      'horizon_years',
      'survival_probability',
      'risk_factors',
      'interval',
      'baseline',
      'contributions',
    ]);
  }
  expect(Object.keys(site).slice(-4)).toEqual([
    'region',
    'matched_elevation_m',
    'in_native_range',
    'outside_training',
  ]);
});

test('what the caller measured is taken as exact: the interval is narrower than with the error of the grid', async () => {
  const width = async (more: object) => {
    const response = await service.post('/v1/predict', { ...PREDICT_REQUEST, ...INCLUDE, ...more });
    const { predictions } = predictionResultSchema.parse(await response.json());
    return predictions[0].interval!.high - predictions[0].interval!.low;
  };
  const response = await service.post('/v1/predict', { ...PREDICT_REQUEST, include: ['explanation'] });
  const { predictions } = predictionResultSchema.parse(await response.json());
  const conditions = Object.fromEntries(
    predictions[0].contributions!.map(({ feature, value }) => [feature, value]),
  );
  expect(await width({ conditions })).toBeLessThan(await width({}));
});
