import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { BOTH_METHODS, HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { HORIZON_NUMBERS, PREDICTION_NUMBERS } from '../../prediction/model/prediction-numbers.js';
import type { SiteRows } from '../../prediction/site-rows.js';
import { DetailEncoder, detailsCapacity, type RowDetails } from './detail-encoder.js';
import { type Fragment, FragmentTable, fragment, type JsonWriter, NUMBER_BYTES } from './json-writer.js';
import type { MatchedPlaces } from './matched-places.js';
import { PredictionEncoder, predictionsCapacity } from './prediction-encoder.js';

const OPEN_SITE = fragment('{"site":{"latitude":');
const LONGITUDE = fragment(',"longitude":');
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

const DISTANCE_DECIMALS = 3;
const METRES_PER_KM = 1000;

/** More than the bytes of an element that depend neither on the models nor on the species. */
const FIXED_BYTES = 1000 + 5 * NUMBER_BYTES;

/** What answers contain besides numbers. */
export type AnswerTexts = Pick<Artefacts, 'grid' | 'manifest' | 'species'>;

/** The maximum size of one row's element in bytes. */
export function elementCapacity({ grid, manifest, species }: AnswerTexts): number {
  const longest = (texts: readonly unknown[]) =>
    Math.max(...texts.map((text) => Buffer.byteLength(JSON.stringify(text))));
  return (
    FIXED_BYTES +
    longest(grid.regions) +
    longest(species) +
    longest([modelOf(manifest)]) +
    PLANTING_METHODS.length * predictionsCapacity(manifest) +
    detailsCapacity(manifest)
  );
}

/** Writes the JSON of answers from prepared fragments: only numbers are formatted row by row. */
export class AnswerEncoder {
  readonly #predictions: PredictionEncoder;
  readonly #details: DetailEncoder;
  /** The JSON with the latitude of each row of the lattice. */
  readonly #matchedLatitudes: FragmentTable;
  /** The JSON from the longitude of each column of the lattice to the distance. */
  readonly #matchedLongitudes: FragmentTable;
  readonly #regions: readonly Fragment[];
  readonly #species: readonly Fragment[];
  readonly #model: string;
  /** The end of an element that was generated at `endTimeMs`. */
  #end: Fragment = fragment('');
  #endTimeMs = Number.NaN;

  constructor(
    private readonly writer: JsonWriter,
    { grid, manifest, species }: AnswerTexts,
  ) {
    this.#details = new DetailEncoder(writer, { grid, manifest });
    this.#predictions = new PredictionEncoder(writer, this.#details, manifest);
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

  /** Opens the element of a row and writes its site. */
  writeSite(
    longitude: number,
    latitude: number,
    places: MatchedPlaces,
    row: number,
    distanceKm: number,
  ): void {
    const { writer } = this;
    writer.write(OPEN_SITE);
    writer.writeNumber(latitude);
    writer.write(LONGITUDE);
    writer.writeNumber(longitude);
    writer.writeOf(this.#matchedLatitudes, places.latitude[row]);
    writer.writeOf(this.#matchedLongitudes, places.longitude[row]);
    writer.writeDecimal(Math.round(distanceKm * METRES_PER_KM), DISTANCE_DECIMALS);
    writer.write(this.#regions[places.region[row]]);
  }

  /** Adds to the site that was written last what `include` asks for. @param features as the models saw them */
  writeSiteDetails(point: number, species: number, features: Float32Array): void {
    this.#details.writeSite(point, species, features);
  }

  /**
   * Writes the element of a row from its site to its end, followed by a comma.
   * @param numbers holds PREDICTION_NUMBERS values for each planting method, starting at `at`
   */
  writePredictions(
    rows: SiteRows,
    row: number,
    numbers: Uint16Array,
    at: number,
    details?: RowDetails,
  ): void {
    const { writer } = this;
    writer.write(this.#species[rows.species[row]]);
    const horizons = rows.horizons[row];
    const method = rows.method[row];
    if (method === BOTH_METHODS) {
      this.#writeComparison(numbers, at, horizons, details);
    } else {
      writer.write(OPEN_METHOD[method]);
      this.#predictions.write(numbers, at, method, horizons, details);
    }
    writer.write(this.#endAt(rows.generatedAtMs[row]));
  }

  #writeComparison(numbers: Uint16Array, at: number, horizons: number, details?: RowDetails): void {
    const { writer } = this;
    for (let method = 0; method < PLANTING_METHODS.length; method++) {
      writer.write(OPEN_COMPARED[method]);
      this.#predictions.write(numbers, at, method, horizons, details);
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
      writer.writeTenThousandths(Math.abs(advantage));
      if (details?.drawn !== undefined) this.#details.writeDifferenceInterval(details.drawn, h, advantage);
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
