import KDBush from 'kdbush';
import { type Manifest, modelOf } from '../artefacts/manifest.js';
import type { SharedGrid } from '../artefacts/shared-grid.js';
import type { Species } from '../artefacts/species.js';
import type { PlaceCache } from '../cache/place-cache.js';
import { BOTH_METHODS, HORIZONS, PLANTING_METHODS } from '../dimensions.js';
import { HORIZON_NUMBERS, PREDICTION_NUMBERS } from '../model/prediction-numbers.js';
import type { PredictorData } from '../predictor.js';
import type { SiteRows } from '../site-rows.js';
import { type Fragment, fragment, JsonWriter, NUMBER_BYTES } from './json-writer.js';
import { PredictionEncoder, predictionsCapacity } from './prediction-encoder.js';
import { writeFraction } from './ten-thousandths.js';

const OPEN_SITE = fragment('{"site":{"latitude":');
const LONGITUDE = fragment(',"longitude":');
const MATCHED_LATITUDE = fragment(',"matched_latitude":');
const MATCHED_LONGITUDE = fragment(',"matched_longitude":');
const DISTANCE = fragment(',"match_distance_km":');
const OPEN_METHOD = PLANTING_METHODS.map((method) =>
  fragment(`,"planting_method":"${method}","predictions":[`),
);
const OPEN_COMPARED = PLANTING_METHODS.map((method, index) =>
  fragment(`${index === 0 ? ',"comparison":{' : ']},'}"${method}":{"predictions":[`),
);
const OPEN_DIFFERENTIAL = fragment(']}},"method_differential":[');
const OPEN_ADVANTAGE = HORIZONS.map((years) => fragment(`{"horizon_years":${years},"manual_advantage":`));
const CLOSE_ADVANTAGE = fragment('}');
const COMMA = fragment(',');
const MINUS = fragment('-');

const COORDINATE_DECIMALS = 5;
const DISTANCE_DECIMALS = 3;

/** The bytes of an element that do not depend on the models or the species, and more. */
const FIXED_BYTES = 1000 + 5 * NUMBER_BYTES;

/** Bytes that the element of one row takes at most. */
export function elementCapacity({
  grid,
  manifest,
  species,
}: Pick<PredictorData, 'grid' | 'manifest' | 'species'>): number {
  const longest = (texts: readonly unknown[]) =>
    Math.max(...texts.map((text) => Buffer.byteLength(JSON.stringify(text))));
  return (
    FIXED_BYTES +
    longest(grid.regions) +
    longest(species) +
    longest([modelOf(manifest)]) +
    PLANTING_METHODS.length * predictionsCapacity(manifest)
  );
}

/** Writes the JSON of answers from prepared fragments: only numbers are formatted row by row. */
export class AnswerEncoder {
  readonly #writer = new JsonWriter();
  readonly #predictions: PredictionEncoder;
  /** Float64 [points, 2]: longitude, latitude. */
  readonly #coordinates: Float64Array;
  readonly #regions: readonly Fragment[];
  readonly #species: readonly Fragment[];
  readonly #model: string;
  /** What ends an element, for the time of the last one. */
  #end: Fragment = fragment('');
  #endTimeMs = Number.NaN;

  constructor(
    readonly grid: SharedGrid,
    manifest: Manifest,
    species: readonly Species[],
    readonly places: PlaceCache,
  ) {
    this.#predictions = new PredictionEncoder(manifest);
    this.#coordinates = KDBush.from(grid.index).coords as Float64Array;
    this.#regions = grid.regions.map((region) => fragment(`,"region":${JSON.stringify(region)}}`));
    this.#species = species.map(({ species_code, common_name }) => {
      const [code, name] = [species_code, common_name].map((text) => JSON.stringify(text));
      return fragment(`,"species_code":${code},"species_common_name":${name}`);
    });
    this.#model = JSON.stringify(modelOf(manifest));
  }

  /** Bytes written since `begin`. */
  get length(): number {
    return this.#writer.length;
  }

  /** Starts anew, in memory with room for `elementCapacity` bytes for each row to come. */
  begin(json: Uint8Array): void {
    this.#writer.begin(json);
  }

  /**
   * Writes the element of one row, followed by a comma.
   * @param point the grid point it is matched to
   * @param numbers what is reported of it: PREDICTION_NUMBERS for each planting method, from `at` on
   */
  writeAnswer(
    rows: SiteRows,
    row: number,
    point: number,
    distanceKm: number,
    numbers: Uint16Array,
    at: number,
  ): void {
    const writer = this.#writer;
    this.#writeSite(rows.longitude[row], rows.latitude[row], point, distanceKm);
    writer.write(this.#species[rows.species[row]]);
    const horizons = rows.horizons[row];
    const method = rows.method[row];
    if (method === BOTH_METHODS) {
      this.#writeComparison(numbers, at, horizons);
    } else {
      writer.write(OPEN_METHOD[method]);
      this.#predictions.write(writer, numbers, at + method * PREDICTION_NUMBERS, horizons);
    }
    writer.write(this.#endAt(rows.generatedAtMs[row]));
  }

  #writeSite(longitude: number, latitude: number, point: number, distanceKm: number): void {
    const writer = this.#writer;
    const entry = this.places.find(longitude, latitude);
    if (entry !== -1) {
      this.places.write(writer, entry);
      return;
    }
    const start = writer.length;
    writer.write(OPEN_SITE);
    writer.writeNumber(latitude);
    writer.write(LONGITUDE);
    writer.writeNumber(longitude);
    writer.write(MATCHED_LATITUDE);
    this.#writeDegrees(this.#coordinates[2 * point + 1]);
    writer.write(MATCHED_LONGITUDE);
    this.#writeDegrees(this.#coordinates[2 * point]);
    writer.write(DISTANCE);
    writer.writeDecimal(Math.round(distanceKm * 10 ** DISTANCE_DECIMALS), DISTANCE_DECIMALS);
    writer.write(this.#regions[this.grid.region[point]]);
    this.places.keep(longitude, latitude, point, distanceKm, writer, start);
  }

  #writeDegrees(degrees: number): void {
    this.#writer.writeDecimal(Math.round(degrees * 10 ** COORDINATE_DECIMALS), COORDINATE_DECIMALS);
  }

  #writeComparison(numbers: Uint16Array, at: number, horizons: number): void {
    const writer = this.#writer;
    for (let method = 0; method < PLANTING_METHODS.length; method++) {
      writer.write(OPEN_COMPARED[method]);
      this.#predictions.write(writer, numbers, at + method * PREDICTION_NUMBERS, horizons);
    }
    writer.write(OPEN_DIFFERENTIAL);
    let isFirst = true;
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      if (!isFirst) writer.write(COMMA);
      isFirst = false;
      const manual = at + h * HORIZON_NUMBERS;
      const advantage = numbers[manual] - numbers[manual + PREDICTION_NUMBERS];
      writer.write(OPEN_ADVANTAGE[h]);
      if (advantage < 0) writer.write(MINUS);
      writeFraction(writer, Math.abs(advantage));
      writer.write(CLOSE_ADVANTAGE);
    }
  }

  #endAt(timeMs: number): Fragment {
    if (timeMs !== this.#endTimeMs) {
      this.#endTimeMs = timeMs;
      this.#end = fragment(`],"model":${this.#model},"generated_at":"${new Date(timeMs).toISOString()}"},`);
    }
    return this.#end;
  }
}
