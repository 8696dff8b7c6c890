import { DataType, tableFromIPC } from 'apache-arrow';
import { beforeAll, expect, test } from 'vitest';
import { requestReader } from '../../../src/formats/request/request-reader.js';
import type { TableFormat, TableRequest } from '../../../src/formats/table/table-request.js';
import { HORIZONS } from '../../../src/prediction/dimensions.js';
import { createPlainPredictor, type PlainPredictor } from '../../../testing/oracle/plain-prediction.js';
import { dataDir, modelDir, searchRadiusKm } from '../../../testing/project.js';
import { seededRandom } from '../../../testing/random.js';
import { amount } from '../../support/length.js';
import { answerTable, data, tableRequest } from './support/answer-table.js';
import { bodyOf } from './support/bodies.js';
import { type AnswerRow, readAnswer } from './support/read-answer.js';
import { type SampleRow, sampleRows } from './support/samples.js';

let oracle: PlainPredictor;
let reader: ReturnType<typeof requestReader>;
beforeAll(async () => {
  oracle = await createPlainPredictor(dataDir, modelDir, searchRadiusKm);
  reader = requestReader(data);
});

const FORMATS: readonly TableFormat[] = ['csv', 'ndjson', 'arrow'];

interface Answer {
  readonly site: Readonly<Record<string, unknown>>;
  readonly predictions: readonly {
    readonly horizon_years: number;
    readonly survival_probability: number;
    readonly risk_factors: readonly { factor: string; impact: string; magnitude: number }[];
    readonly interval?: { readonly low: number; readonly high: number };
  }[];
}

/** Our columns of a row, from the JSON of the oracle or of a batch. */
async function expectedColumns(row: SampleRow, request: TableRequest): Promise<AnswerRow> {
  const { plot: _, elevation_m, ...site } = row;
  const horizons = HORIZONS.filter((_, h) => (request.horizons & (1 << h)) !== 0);
  const include = request.intervals ? ['intervals'] : [];
  const elevation = elevation_m === null ? {} : { elevation_m };
  const entry = { ...site, ...elevation, scenario: request.assumed, include, horizons };
  const { failed } = reader.readBatch(Buffer.from(JSON.stringify({ requests: [entry] })), {
    tier: 'hypha',
    max: 1,
  });
  const failure = failed.get(0)?.error;
  const answer = failure === undefined ? await oracle.predict(entry) : failure.code;
  const none: Record<string, unknown> = Object.fromEntries(
    namesOf(horizons, request.intervals).map((name) => [name, null]),
  );
  if (typeof answer === 'string')
    return {
      ...none,
      error_code: answer,
      error_message: failure?.message ?? expect.stringMatching(/^.+\.$/),
    };
  const { site: matched, predictions } = answer as Answer;
  for (const name of ['matched_latitude', 'matched_longitude', 'match_distance_km', 'region'])
    none[name] = matched[name];
  for (const { horizon_years: h, survival_probability, risk_factors, interval } of predictions) {
    none[`survival_${h}`] = survival_probability;
    for (const [rank, { factor, impact, magnitude }] of risk_factors.entries()) {
      none[`factor_${h}_${rank + 1}`] = factor;
      none[`contribution_${h}_${rank + 1}`] = impact === 'negative' && magnitude > 0 ? -magnitude : magnitude;
    }
    // Ends of intervals are interpolated between draws, and may differ in the last digit.
    if (interval === undefined) continue;
    none[`low_${h}`] = expect.closeTo(interval.low, 3.6);
    none[`high_${h}`] = expect.closeTo(interval.high, 3.6);
  }
  return none;
}

function namesOf(horizons: readonly number[], intervals: boolean): string[] {
  const ofHorizon = (h: number) => [
    `survival_${h}`,
    ...[1, 2, 3].flatMap((rank) => [`factor_${h}_${rank}`, `contribution_${h}_${rank}`]),
    ...(intervals ? [`low_${h}`, `high_${h}`] : []),
  ];
  return [
    ...['matched_latitude', 'matched_longitude', 'match_distance_km', 'region'],
    ...horizons.flatMap(ofHorizon),
    ...['error_code', 'error_message'],
  ];
}

/** The uploaded columns of a row as a pair of formats returns them: CSV has texts only. */
function uploadedColumns(row: SampleRow, { format, output }: TableRequest): AnswerRow {
  if (format !== 'csv' && output !== 'csv') return { ...row };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')]));
}

const TEXTS = /^(region|factor_.*|error_.*)$/;

/** Our columns of CSV as values; a number must be written in its shortest form. */
function valuesOfCsv(row: AnswerRow, names: readonly string[]): AnswerRow {
  const values = names.map((name) => {
    const text = row[name] as string;
    if (text === '') return [name, null];
    if (TEXTS.test(name)) return [name, text];
    expect(String(Number(text))).toBe(text);
    return [name, Number(text)];
  });
  return { ...row, ...Object.fromEntries(values) };
}

const VARIANTS: readonly Partial<TableRequest>[] = [
  {},
  { horizons: 0b101, intervals: true },
  { horizons: 0b010, assumed: { warming_c: 2.5, precipitation_change_percent: -10 } },
];

for (const format of FORMATS) {
  test.each(FORMATS)(
    `a table in ${format} is answered in %s with its own columns and the numbers and errors of a batch`,
    async (output) => {
      const random = seededRandom(20_261_122);
      const codes = new Set<unknown>();
      for (const variant of VARIANTS) {
        const request = tableRequest({ format, output, ...variant });
        const rows = sampleRows(data, amount({ short: 40, long: 1000 }), random);
        const names = namesOf(
          HORIZONS.filter((_, h) => (request.horizons & (1 << h)) !== 0),
          request.intervals,
        );
        const answer = await answerTable(bodyOf(format, rows), request, 17);
        const answered = readAnswer(answer, output);
        expect(answered).toHaveLength(rows.length);
        expect(Object.keys(answered[0])).toEqual([...Object.keys(rows[0]), ...names]);
        for (const [index, row] of rows.entries()) {
          const actual = output === 'csv' ? valuesOfCsv(answered[index], names) : answered[index];
          const expected = { ...uploadedColumns(row, request), ...(await expectedColumns(row, request)) };
          expect(actual).toEqual(expected);
          codes.add(actual.error_code);
        }
      }
      const failures = [
        'invalid_request',
        'invalid_species',
        'invalid_method',
        'outside_coverage',
        'elevation_mismatch',
      ];
      expect([...codes]).toEqual(expect.arrayContaining([null, ...failures]));
    },
  );
}

test('an Arrow answer names the model and where its outcomes come from', async () => {
  const rows = sampleRows(data, 3, seededRandom(1));
  const answer = await answerTable(bodyOf('csv', rows), tableRequest({ format: 'csv', output: 'arrow' }));
  const { version, codename, series, outcomes } = data.manifest;
  const model = JSON.parse(tableFromIPC(answer).schema.metadata.get('model')!);
  expect(model).toEqual({ version, codename, series, outcomes });
});

test('all texts that an Arrow answer adds are dictionaries, and each record batch has messages of its own', async () => {
  const [good] = sampleRows(data, 1, () => 0.5);
  const bad = (longitude: number) => ({ ...good, longitude });
  const rows = [good, bad(-190), good, bad(200), bad(-190)];
  const request = tableRequest({ format: 'ndjson', output: 'arrow' });
  const answer = tableFromIPC(await answerTable(bodyOf('ndjson', rows), request, 1));
  expect(answer.batches).toHaveLength(rows.length);
  const added = answer.schema.fields.slice(Object.keys(good).length);
  const texts = added.filter(({ type }) => !DataType.isFloat(type));
  expect(texts.map(({ name }) => name)).toEqual(added.map(({ name }) => name).filter((n) => TEXTS.test(n)));
  expect(texts.every(({ type }) => DataType.isDictionary(type))).toBe(true);
  const said = [...answer.getChild('error_message')!].map((text) => text && /-190|200/.exec(text)![0]);
  expect(said).toEqual([null, '-190', null, '200', '-190']);
});
