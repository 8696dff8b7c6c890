import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { type MatchedPlaces, matchedPlaces } from '../../prediction/artefacts/shared-grid.js';
import { PLACE } from '../../prediction/cache.js';
import { BOTH_METHODS, HORIZONS, PLANTING_METHODS, RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import { factorCode } from '../../prediction/model/prediction-numbers.js';
import type { Predictor, PredictorRun } from '../../prediction/predictor.js';
import { numbersAt, RowRecords } from '../../prediction/row-record.js';
import { ROW_STATUS, type RowAnswers, type SiteRows } from '../../prediction/site-rows.js';
import { DetailEncoder } from './detail-encoder.js';
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

const DISTANCE_DECIMALS = 3;
const SURVIVAL_DECIMALS = 4;

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

/** Answers rows in JSON, from prepared fragments: only numbers are formatted row by row. */
export class AnswerEncoder {
  readonly #writer = new JsonWriter();
  readonly #details: DetailEncoder;
  /** The JSON with the latitude of each row of the lattice. */
  readonly #matchedLatitudes: FragmentTable;
  /** The JSON from the longitude of each column of the lattice to the distance. */
  readonly #matchedLongitudes: FragmentTable;
  /** The JSON that opens a risk factor, by its code. */
  readonly #firstFactor: FragmentTable;
  readonly #nextFactor: FragmentTable;
  readonly #regions: readonly Fragment[];
  readonly #species: readonly Fragment[];
  readonly #model: string;
  /** The end of an element that was generated at `endTimeMs`. */
  #end: Fragment = fragment('');
  #endTimeMs = Number.NaN;

  constructor(private readonly predictor: Predictor) {
    const { grid, manifest, species } = predictor.data;
    this.#details = new DetailEncoder(this.#writer, predictor);
    const openFactor = (before: string) => {
      const byCode: string[] = [];
      for (const [feature, { label }] of manifest.features.entries())
        for (const impact of ['positive', 'negative'])
          byCode[factorCode(feature, impact === 'negative')] =
            `${before}{"factor":${JSON.stringify(label)},"impact":"${impact}","magnitude":`;
      return new FragmentTable(byCode);
    };
    this.#firstFactor = openFactor(',"risk_factors":[');
    this.#nextFactor = openFactor('},');
    this.#matchedLatitudes = new FragmentTable(
      Array.from(grid.index.latitudes, (degrees) => `,"matched_latitude":${degrees}`),
    );
    this.#matchedLongitudes = new FragmentTable(
      Array.from(grid.index.longitudes, (degrees) => `,"matched_longitude":${degrees},"match_distance_km":`),
    );
    this.#regions = grid.regions.map((region) => fragment(`,"region":${JSON.stringify(region)}}`));
    this.#species = species.map(({ species_code, common_name }) => {
      const [code, name] = [species_code, common_name].map((text) => JSON.stringify(text));
      return fragment(`,"species_code":${code},"species_common_name":${name}`);
    });
    this.#model = JSON.stringify(modelOf(manifest));
  }

  /** Predicts rows and writes their elements; `answers.json` has `elementCapacity` bytes for each. Calls must not overlap. */
  async answer(rows: SiteRows, answers: RowAnswers): Promise<PredictorRun> {
    const records = RowRecords.create(rows, answers.status);
    const run = await this.predictor.predict(rows, records);
    this.write(rows, records, run, answers);
    return run;
  }

  /** Writes the elements of rows that were predicted. */
  write(rows: SiteRows, records: RowRecords, run: PredictorRun, { status, ends, json }: RowAnswers): void {
    const places = matchedPlaces(this.predictor.data.grid, records.points);
    this.#writer.begin(json);
    for (let row = 0; row < rows.count; row++) {
      if (status[row] === ROW_STATUS.answered) this.#writeElement(rows, row, records, places, run);
      ends[row] = this.#writer.length;
    }
  }

  /** Writes the element of a row, followed by a comma. */
  #writeElement(
    rows: SiteRows,
    row: number,
    records: RowRecords,
    places: MatchedPlaces,
    run: PredictorRun,
  ): void {
    const writer = this.#writer;
    this.#writeSite(rows, row, records, places);
    this.#details.begin(rows, row, records, run);
    writer.write(this.#species[rows.species[row]]);
    const horizons = rows.horizons[row];
    const method = rows.method[row];
    if (method === BOTH_METHODS) this.#writeComparison(records, row, horizons);
    else {
      writer.write(OPEN_METHOD[method]);
      this.#writePredictions(records, row, method, horizons);
    }
    writer.write(this.#endAt(rows.generatedAtMs[row]));
  }

  /** Writes the site of a row, from the cache where the place is in it. */
  #writeSite(
    { longitude, latitude }: SiteRows,
    row: number,
    records: RowRecords,
    matched: MatchedPlaces,
  ): void {
    const writer = this.#writer;
    const { places } = this.predictor;
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
    writer.writeEntry(this.#matchedLatitudes, matched.row[row]);
    writer.writeEntry(this.#matchedLongitudes, matched.column[row]);
    writer.writeDecimal(records.distanceM(row), DISTANCE_DECIMALS);
    writer.write(this.#regions[matched.region[row]]);
    const bytes = writer.length - start;
    const { points, distancesKm } = records;
    const kept = places.keep(longitude[row], latitude[row], points[row], distancesKm[row], bytes);
    if (kept !== -1) writer.readWords(start, places.words, kept + PLACE.text);
  }

  /** Writes the predictions for a set of horizons. */
  #writePredictions({ numbers }: RowRecords, row: number, method: number, horizons: number): void {
    const writer = this.#writer;
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      let from = numbersAt(row, method, h);
      writer.write(OPEN_PREDICTION[h]);
      writer.writeDecimal(numbers[from++], SURVIVAL_DECIMALS);
      for (let rank = 0; rank < RISK_FACTOR_COUNT; rank++) {
        writer.writeEntry(rank === 0 ? this.#firstFactor : this.#nextFactor, numbers[from++]);
        writer.writeDecimal(numbers[from++], SURVIVAL_DECIMALS);
      }
      writer.write(CLOSE_RISK_FACTORS);
      this.#details.writePrediction(method, h);
      writer.write(CLOSE);
    }
    writer.length--; // the last comma
  }

  #writeComparison(records: RowRecords, row: number, horizons: number): void {
    const writer = this.#writer;
    for (let method = 0; method < PLANTING_METHODS.length; method++) {
      writer.write(OPEN_COMPARED[method]);
      this.#writePredictions(records, row, method, horizons);
    }
    writer.write(OPEN_DIFFERENTIAL);
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      const advantage = records.survival(row, 0, h) - records.survival(row, 1, h);
      writer.write(OPEN_ADVANTAGE[h]);
      writer.writeDecimal(advantage, SURVIVAL_DECIMALS);
      this.#details.writeDifference(h, advantage);
      writer.write(CLOSE);
    }
    writer.length--; // the last comma
  }

  #endAt(timeMs: number): Fragment {
    if (timeMs !== this.#endTimeMs) {
      this.#endTimeMs = timeMs;
      this.#end = fragment(`],"model":${this.#model},"generated_at":"${new Date(timeMs).toISOString()}"},`);
    }
    return this.#end;
  }
}
