import { expect, test } from 'vitest';
import { valueAt } from '../../src/prediction/artefacts/shared-grid.js';
import { greatCircleKm } from '../../testing/oracle/plain-nearest-point.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { removeIntervalModels } from '../prediction/support/interval-models.js';
import { expectError } from '../support/error-body.js';
import { COMPARE_REQUEST, FOREST_SITE, PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';
import { PLAN_REQUEST } from './support/units.js';

const { grid, manifest } = readPredictorData();
const KEYS = manifest.features.map(({ name }) => name).join(', ');

const copy = new ProjectCopy();
removeIntervalModels(copy);
const service = await serviceOfFile({ MODEL_DIR: copy.modelDir });
copy.remove();

const ENTRY = JSON.stringify(PREDICT_REQUEST);
const withOption = (json: string, entry = ENTRY) => `${entry.slice(0, -1)},${json}}`;
const POSITION = 10;

/** The error of a prediction, which must be the same in a comparison, a ranking and a batch with valid entries. */
async function errorOf(option: string, code: string) {
  const error = await expectError(await service.post('/v1/predict', withOption(option)), 422, code);
  const comparison = withOption(option, JSON.stringify(COMPARE_REQUEST));
  expect(await expectError(await service.post('/v1/predict/compare', comparison), 422, code)).toEqual(error);
  const ranking = withOption(option, JSON.stringify(FOREST_SITE));
  expect(await expectError(await service.post('/v1/predict/rank', ranking), 422, code)).toEqual(error);
  const entries = Array.from({ length: 20 }, (_, i) => (i === POSITION ? withOption(option) : ENTRY));
  const batch = await service.post('/v1/predict/batch', `{"requests":[${entries}]}`);
  const { results, summary } = (await batch.json()) as { results: unknown[]; summary: object };
  expect(summary).toEqual({ total: 20, successful: 19, failed: 1 });
  expect(results[POSITION]).toEqual({ error, ...FOREST_SITE });
  return error;
}

const elevationRange = (value: string) => `elevation_m must be a number from -10 to 4400 m, not ${value}`;
const unknownConditions = (names: string) => `conditions must not have ${names}: its keys are ${KEYS}`;
const vpd = (value: string) => `conditions.vpd_max must be a number from 0 to 50 hPa, not ${value}`;
const warming = (value: string) => `scenario.warming_c must be a number from -5 to 10 degC, not ${value}`;
const unknownScenario = (name: string) =>
  `scenario must not have ${name}: its keys are warming_c, precipitation_change_percent`;
const wrongObject = (option: string, value: string) =>
  `${option} must be an object with numbers, not ${value}`;
const includeList = (value: string) =>
  `include must be an array of intervals, explanation, site, not ${value}`;
const includeWord = (value: string) =>
  `each word of include must be one of intervals, explanation, site, not ${value}`;
const manyConditions = Array.from({ length: 200 }, (_, i) => `"c${i}":1`).join(',');
const RAIN = 'scenario.precipitation_change_percent';
const RAIN_RANGE = 'a number from -80 to 200 percent';
const NO_INTERVALS = 'include cannot have intervals: the models of this service have none';
const misspelt = (name: string, option: string) =>
  `"${name}" is not a field: write ${option}, or rename it if it is a tag of your own`;

test.each([
  ['"elevation_m":null', 'elevation_m', elevationRange('null')],
  ['"elevation_m":{"toString":1}', 'elevation_m', elevationRange('an object')],
  ['"elevation_m":"850"', 'elevation_m', elevationRange('"850"')],
  ['"elevation_m":-10.5', 'elevation_m', elevationRange('-10.5')],
  ['"elevation_m":1e999', 'elevation_m', elevationRange('Infinity')],
  ['"elevation_m":15000', 'elevation_m', elevationRange('15000')],
  ['"elevation_":850', 'elevation_', misspelt('elevation_', 'elevation_m')],
  ['"conditions":null', 'conditions', wrongObject('conditions', 'null')],
  ['"conditions":[]', 'conditions', wrongObject('conditions', 'an array of 0')],
  ['"conditions":{"vpd":9}', 'conditions', unknownConditions('"vpd"')],
  ['"conditions":{"VPD_MAX":9,"vpd_max":9,"":1}', 'conditions', unknownConditions('"VPD_MAX" or ""')],
  ['"conditions":{"__proto__":{"vpd_max":9}}', 'conditions', unknownConditions('"__proto__"')],
  [
    `"conditions":{${manyConditions}}`,
    'conditions',
    unknownConditions('"c0", "c1", "c2", "c3", "c4" or 195 more'),
  ],
  ['"conditions":{"vpd_max":null}', 'conditions.vpd_max', vpd('null')],
  ['"conditions":{"vpd_max":"9"}', 'conditions.vpd_max', vpd('"9"')],
  ['"conditions":{"vpd_max":50.01}', 'conditions.vpd_max', vpd('50.01')],
  ['"conditions":{"vpd_max":-1e999}', 'conditions.vpd_max', vpd('-Infinity')],
  ['"conditions":{"vpd_max":9,"vpd_max":[9,9]}', 'conditions.vpd_max', vpd('an array of 2')],
  ['"conditons":{"vpd_max":9}', 'conditons', misspelt('conditons', 'conditions')],
  ['"scenario":null', 'scenario', wrongObject('scenario', 'null')],
  ['"scenario":[2]', 'scenario', wrongObject('scenario', 'an array of 1')],
  ['"scenario":{"warming":2}', 'scenario', unknownScenario('"warming"')],
  ['"scenario":{"warming_c":null}', 'scenario.warming_c', warming('null')],
  ['"scenario":{"warming_c":10.01}', 'scenario.warming_c', warming('10.01')],
  ['"scenario":{"warming_c":1e999}', 'scenario.warming_c', warming('Infinity')],
  ['"scenario":{"precipitation_change_percent":-81}', RAIN, `${RAIN} must be ${RAIN_RANGE}, not -81`],
  ['"scenarios":{"warming_c":2}', 'scenarios', misspelt('scenarios', 'scenario')],
  ['"include":null', 'include', includeList('null')],
  ['"include":"site"', 'include', includeList('"site"')],
  ['"include":["sites"]', 'include', includeWord('"sites"')],
  ['"include":["site",null,["site"]]', 'include', includeWord('null or an array of 1')],
  ['"include":["Site","s\\u0069te",1]', 'include', includeWord('"Site" or 1')],
  ['"include":["site","intervals"]', 'include', NO_INTERVALS],
  ['"includes":["site"]', 'includes', misspelt('includes', 'include')],
])('the option %s is an invalid request that says so', async (option, path, message) => {
  const { message: sentence, details } = await errorOf(option, 'invalid_request');
  expect(details).toEqual({ issues: [{ path, message }] });
  expect(sentence).toBe(`The request is not valid: ${message}.`);
});

test('every key of conditions is checked against the range of its feature, and the error names the unit', async () => {
  const answers = manifest.features.map(async ({ name, minimum, maximum, unit }) => {
    const body = (value: number) => ({ ...PREDICT_REQUEST, conditions: { [name]: value } });
    for (const value of [minimum, maximum])
      expect((await service.post('/v1/predict', body(value))).status).toBe(200);
    for (const value of [minimum - 0.001, maximum + 0.001]) {
      const error = await expectError(await service.post('/v1/predict', body(value)), 422, 'invalid_request');
      expect(error.message).toContain(
        `conditions.${name} must be a number from ${minimum} to ${maximum}${unit === '1' ? ',' : ` ${unit},`}`,
      );
    }
  });
  await Promise.all(answers);
});

test('an elevation_mismatch does not ask about feet where metres are nearer to the matched point', async () => {
  const { elevation } = grid.columns;
  const isHigh = (_: unknown, point: number) => valueAt(elevation, point) > 1500;
  const high = Array.from({ length: grid.pointCount }).findIndex(isHigh);
  const response = await service.post('/v1/predict', {
    ...PREDICT_REQUEST,
    ...placeOf(grid, high),
    elevation_m: 300,
  });
  expect((await expectError(response, 422, 'elevation_mismatch')).message).not.toContain('feet');
});

test('an elevation too far from that of the matched point is an elevation_mismatch that asks whether it was in feet', async () => {
  const { longitude, latitude } = FOREST_SITE;
  const distances = Array.from({ length: grid.pointCount }, (_, point) => {
    const place = placeOf(grid, point);
    return greatCircleKm(longitude, latitude, place.longitude, place.latitude);
  });
  const nearest = distances.indexOf(distances.reduce((a, b) => Math.min(a, b)));
  const matched = valueAt(grid.columns.elevation, nearest);
  const elevation = matched + 1000.5;
  const { message, details } = await errorOf(`"elevation_m":${elevation}`, 'elevation_mismatch');
  expect(details).toEqual({ elevation_m: elevation, matched_elevation_m: matched });
  expect(message).toContain(`${matched} m`);
  expect(message).toContain('Was it in feet?');
  for (const limit of [matched + 1000, matched - 1000].filter((metres) => metres >= -100)) {
    const response = await service.post('/v1/predict', { ...PREDICT_REQUEST, elevation_m: limit });
    expect(response.status).toBe(200);
  }
});

test('a plan is refused with the reason if the models have no intervals', async () => {
  const { message } = await expectError(await service.post('/v1/plan', PLAN_REQUEST), 422, 'invalid_request');
  expect(message).toMatch(/a plan needs intervals, and the models of this service have none/);
});

test.each([
  '"include":[]',
  '"conditions":{}',
  '"scenario":{}',
  '"scenario":{"warming_c":0}',
  '"scenario":{"warming_c":-0.0,"precipitation_change_percent":0}',
])('the option %s changes no byte', async (option) => {
  const answer = async (body: string) =>
    (await (await service.post('/v1/predict', body)).text()).replace(/"generated_at":.*/, '');
  expect(await answer(withOption(option))).toBe(await answer(ENTRY));
});

test('/openapi.json lists the values of include that the models support', async () => {
  const response = await service.get('/openapi.json');
  expect(await response.text()).toContain(
    '"include":{"type":"array","items":{"type":"string","enum":["explanation","site"]}',
  );
});
