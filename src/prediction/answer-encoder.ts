import KDBush from 'kdbush';
import { FragmentCache } from './fragment-cache.js';
import { ALL_HORIZONS, HORIZONS } from './horizon.js';
import { type Fragment, fragment, JsonWriter, NUMBER_BYTES } from './json-writer.js';
import { type Manifest, modelOf } from './manifest.js';
import { BOTH_METHODS, PLANTING_METHODS } from './planting-method.js';
import { type Predicted, PredictionEncoder, predictionsCapacity } from './prediction-encoder.js';
import type { PredictorData } from './predictor.js';
import type { SharedGrid } from './shared-grid.js';
import type { SiteRows } from './site-rows.js';
import type { Species } from './species.js';
import { tenThousandths, writeFraction } from './ten-thousandths.js';

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
  /** The predictions of one method, written before for the same point, species, method and horizons. */
  readonly #cache: FragmentCache;
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
    cacheBytes: number,
  ) {
    this.#cache = new FragmentCache(cacheBytes);
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

  /** The predictions of a row if they are still at hand from an earlier one; never of a comparison. */
  findFinished(rows: SiteRows, row: number, point: number): Fragment | undefined {
    return rows.method[row] === BOTH_METHODS ? undefined : this.#cache.get(this.#cacheKey(rows, row, point));
  }

  /**
   * Writes the element of one row, followed by a comma.
   * @param point the grid point it is matched to
   * @param finished its predictions, where they were at hand
   * @param predicted where not: the result of each method of the row, by method code
   */
  writeAnswer(
    rows: SiteRows,
    row: number,
    point: number,
    distanceKm: number,
    finished: Fragment | undefined,
    predicted: readonly Predicted[],
  ): void {
    const writer = this.#writer;
    this.#writeSite(rows, row, point, distanceKm);
    writer.write(this.#species[rows.species[row]!]!);
    const horizons = rows.horizons[row]!;
    const method = rows.method[row]!;
    if (method === BOTH_METHODS) {
      this.#writeComparison(predicted, row, horizons);
    } else {
      writer.write(OPEN_METHOD[method]!);
      if (finished === undefined) {
        const start = writer.length;
        this.#writePredictions(predicted[method]!, row, horizons);
        if (this.#cache.maxBytes > 0)
          this.#cache.set(this.#cacheKey(rows, row, point), writer.fragmentFrom(start));
      } else {
        writer.write(finished);
      }
    }
    writer.write(this.#endAt(rows.generatedAtMs[row]!));
  }

  #writeSite(rows: SiteRows, row: number, point: number, distanceKm: number): void {
    const writer = this.#writer;
    writer.write(OPEN_SITE);
    writer.writeNumber(rows.latitude[row]!);
    writer.write(LONGITUDE);
    writer.writeNumber(rows.longitude[row]!);
    writer.write(MATCHED_LATITUDE);
    writer.writeDecimal(
      Math.round(this.#coordinates[2 * point + 1]! * 10 ** COORDINATE_DECIMALS),
      COORDINATE_DECIMALS,
    );
    writer.write(MATCHED_LONGITUDE);
    writer.writeDecimal(
      Math.round(this.#coordinates[2 * point]! * 10 ** COORDINATE_DECIMALS),
      COORDINATE_DECIMALS,
    );
    writer.write(DISTANCE);
    writer.writeDecimal(Math.round(distanceKm * 10 ** DISTANCE_DECIMALS), DISTANCE_DECIMALS);
    writer.write(this.#regions[this.grid.region[point]!]!);
  }

  #writePredictions({ survival, positions }: Predicted, row: number, horizons: number): void {
    this.#predictions.write(this.#writer, survival, positions[row]!, horizons);
  }

  #writeComparison(predicted: readonly Predicted[], row: number, horizons: number): void {
    const writer = this.#writer;
    for (let method = 0; method < predicted.length; method++) {
      writer.write(OPEN_COMPARED[method]!);
      this.#writePredictions(predicted[method]!, row, horizons);
    }
    writer.write(OPEN_DIFFERENTIAL);
    let isFirst = true;
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      if (!isFirst) writer.write(COMMA);
      isFirst = false;
      const [manual, droneSeeded] = predicted.map(({ survival, positions }) =>
        tenThousandths(survival.survival[positions[row]! * HORIZONS.length + h]!),
      );
      const advantage = manual! - droneSeeded!;
      writer.write(OPEN_ADVANTAGE[h]!);
      if (advantage < 0) writer.write(MINUS);
      writeFraction(writer, Math.abs(advantage));
      writer.write(CLOSE_ADVANTAGE);
    }
  }

  /** A number for each combination of point, species, method and horizons: far below 2^53 for any grid. */
  #cacheKey({ species, method, horizons }: SiteRows, row: number, point: number): number {
    return (
      ((point * this.#species.length + species[row]!) * PLANTING_METHODS.length + method[row]!) *
        (ALL_HORIZONS + 1) +
      horizons[row]!
    );
  }

  #endAt(timeMs: number): Fragment {
    if (timeMs !== this.#endTimeMs) {
      this.#endTimeMs = timeMs;
      this.#end = fragment(`],"model":${this.#model},"generated_at":"${new Date(timeMs).toISOString()}"},`);
    }
    return this.#end;
  }
}
