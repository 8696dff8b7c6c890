import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { type MatchedPlaces, matchedPlaces } from '../../prediction/artefacts/shared-grid.js';
import { PLACE } from '../../prediction/cache.js';
import { BOTH_METHODS, HORIZONS, PLANTING_METHODS, RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import { factorCode } from '../../prediction/model/prediction-numbers.js';
import type { Predictor, PredictorRun } from '../../prediction/predictor.js';
import { DISTANCE_DECIMALS, numbersAt, RowRecords, SCALE_DECIMALS } from '../../prediction/row-record.js';
import { ROW_STATUS, type RowAnswers, type SiteRows } from '../../prediction/site-rows.js';
import { detailEncoder } from './detail-encoder.js';
import { type Fragment, FragmentTable, fragment, JsonWriter, NUMBER_BYTES } from './json-writer.js';

const OPEN_SITE = fragment('{"site":{"latitude":');
const LONGITUDE = fragment(',"longitude":');
const OPEN_METHOD = PLANTING_METHODS.map((method) =>
  fragment(`,"planting_method":"${method}","predictions":[`),
);
const OPEN_COMPARED = PLANTING_METHODS.map((method, index) =>
  fragment(`${index === 0 ? ',"comparison":{' : ']},'}"${method}":{"predictions":[`),
);
const OPEN_PREDICTION = HORIZONS.map((years) =>
  fragment(`{"horizon_years":${years},"survival_probability":`),
);
const CLOSE_RISK_FACTORS = fragment('}]');
const OPEN_DIFFERENTIAL = fragment(']}},"method_differential":[');
const OPEN_ADVANTAGE = HORIZONS.map((years) => fragment(`{"horizon_years":${years},"manual_advantage":`));
const CLOSE = fragment('},');

/** The maximum size of one row's element in bytes. */
export function elementCapacity(artefacts: Pick<Artefacts, 'grid' | 'manifest' | 'species'>): number {
  const { grid, manifest, species } = artefacts;
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const longest = (values: readonly unknown[]) => Math.max(...values.map(bytesOf));
  const { features } = manifest;
  const longestLabel = longest(features.map(({ label }) => label));
  const contributions = features
    .map(({ name, label, unit }) => bytesOf([name, label, unit]) + 80 + 3 * NUMBER_BYTES)
    .reduce((sum, bytes) => sum + bytes);
  const interval = 50 + 3 * NUMBER_BYTES;
  const riskFactors = RISK_FACTOR_COUNT * (longestLabel + 100);
  const prediction = 150 + riskFactors + interval + NUMBER_BYTES + contributions;
  return (
    1100 + // what depends neither on the models nor on the species
    6 * NUMBER_BYTES +
    longest(grid.regions) +
    longest(species) +
    bytesOf(modelOf(manifest)) +
    contributions + // the names of all features in `outside_training` at most
    HORIZONS.length * (PLANTING_METHODS.length * prediction + interval)
  );
}

export type AnswerEncoder = ReturnType<typeof answerEncoder>;

/** Answers rows in JSON, from prepared fragments: only numbers are formatted row by row. */
export function answerEncoder(predictor: Predictor) {
  const { places, data } = predictor;
  const { grid, manifest, species } = data;
  const writer = new JsonWriter();
  const details = detailEncoder(writer, predictor);
  /** The JSON that opens a risk factor, by its code. */
  const openFactor = (before: string) => {
    const byCode: string[] = [];
    for (const [feature, { label }] of manifest.features.entries())
      for (const impact of ['positive', 'negative'])
        byCode[factorCode(feature, impact === 'negative')] =
          `${before}{"factor":${JSON.stringify(label)},"impact":"${impact}","magnitude":`;
    return new FragmentTable(byCode);
  };
  const firstFactor = openFactor(',"risk_factors":[');
  const nextFactor = openFactor('},');
  /** The JSON with the latitude of each row of the lattice. */
  const matchedLatitudes = new FragmentTable(
    Array.from(grid.index.latitudes, (degrees) => `,"matched_latitude":${degrees}`),
  );
  /** The JSON from the longitude of each column of the lattice to the distance. */
  const matchedLongitudes = new FragmentTable(
    Array.from(grid.index.longitudes, (degrees) => `,"matched_longitude":${degrees},"match_distance_km":`),
  );
  const regions = grid.regions.map((region) => fragment(`,"region":${JSON.stringify(region)}}`));
  const ofSpecies = species.map(({ species_code, common_name }) => {
    const [code, name] = [species_code, common_name].map((text) => JSON.stringify(text));
    return fragment(`,"species_code":${code},"species_common_name":${name}`);
  });
  const model = JSON.stringify(modelOf(manifest));
  /** The end of an element that was generated at `endTimeMs`. */
  let end: Fragment = fragment('');
  let endTimeMs = Number.NaN;
  return { answer, write };

  /** Predicts rows and writes their elements; `answers.json` has `elementCapacity` bytes for each. Calls must not overlap. */
  async function answer(rows: SiteRows, answers: RowAnswers): Promise<PredictorRun> {
    const records = RowRecords.create(rows, answers.status);
    const run = await predictor.predict(rows, records);
    write(rows, records, run, answers);
    return run;
  }

  /** Writes the elements of rows that were predicted, each followed by a comma. */
  function write(
    rows: SiteRows,
    records: RowRecords,
    run: PredictorRun,
    { status, ends, json }: RowAnswers,
  ): void {
    const matched = matchedPlaces(grid, records.points);
    writer.begin(json);
    for (let row = 0; row < rows.count; row++) {
      if (status[row] === ROW_STATUS.answered) {
        writeSite(rows, row, records, matched);
        details.begin(rows, row, records, run);
        writer.write(ofSpecies[rows.species[row]]);
        writeResults(records, row, rows.method[row], rows.horizons[row]);
        writer.write(endAt(rows.generatedAtMs[row]));
      }
      ends[row] = writer.length;
    }
  }

  /** Writes the site of a row, from the cache where the place is in it. */
  function writeSite(
    { longitude, latitude }: SiteRows,
    row: number,
    records: RowRecords,
    matched: MatchedPlaces,
  ): void {
    const cached = places.find(longitude[row], latitude[row]);
    if (cached !== -1) {
      writer.writeWords(places.words, cached + PLACE.text, places.words[cached + PLACE.textLength]);
      return;
    }
    const start = writer.length;
    writer.write(OPEN_SITE);
    writer.writeNumber(latitude[row]);
    writer.write(LONGITUDE);
    writer.writeNumber(longitude[row]);
    writer.writeEntry(matchedLatitudes, matched.row[row]);
    writer.writeEntry(matchedLongitudes, matched.column[row]);
    writer.writeDecimal(records.distanceM(row), DISTANCE_DECIMALS);
    writer.write(regions[matched.region[row]]);
    const bytes = writer.length - start;
    const { points, distancesKm } = records;
    const kept = places.keep(longitude[row], latitude[row], points[row], distancesKm[row], bytes);
    if (kept !== -1) writer.readWords(start, places.words, kept + PLACE.text);
  }

  /** Writes the predictions for a set of horizons. */
  function writePredictions({ numbers }: RowRecords, row: number, method: number, horizons: number): void {
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      let from = numbersAt(row, method, h);
      writer.write(OPEN_PREDICTION[h]);
      writer.writeDecimal(numbers[from++], SCALE_DECIMALS);
      for (let rank = 0; rank < RISK_FACTOR_COUNT; rank++) {
        writer.writeEntry(rank === 0 ? firstFactor : nextFactor, numbers[from++]);
        writer.writeDecimal(numbers[from++], SCALE_DECIMALS);
      }
      writer.write(CLOSE_RISK_FACTORS);
      details.writePrediction(method, h);
      writer.write(CLOSE);
    }
    writer.length--; // the last comma
  }

  /** Writes the predictions of a method, or a comparison. */
  function writeResults(records: RowRecords, row: number, method: number, horizons: number): void {
    if (method !== BOTH_METHODS) {
      writer.write(OPEN_METHOD[method]);
      writePredictions(records, row, method, horizons);
      return;
    }
    for (let compared = 0; compared < PLANTING_METHODS.length; compared++) {
      writer.write(OPEN_COMPARED[compared]);
      writePredictions(records, row, compared, horizons);
    }
    writer.write(OPEN_DIFFERENTIAL);
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      const advantage = records.survival(row, 0, h) - records.survival(row, 1, h);
      writer.write(OPEN_ADVANTAGE[h]);
      writer.writeDecimal(advantage, SCALE_DECIMALS);
      details.writeDifference(h, advantage);
      writer.write(CLOSE);
    }
    writer.length--; // the last comma
  }

  function endAt(timeMs: number): Fragment {
    if (timeMs !== endTimeMs) {
      endTimeMs = timeMs;
      end = fragment(`],"model":${model},"generated_at":"${new Date(timeMs).toISOString()}"},`);
    }
    return end;
  }
}
