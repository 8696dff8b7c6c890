import { HORIZONS } from './horizon.js';
import { fragment, JsonWriter } from './json-writer.js';
import { type Manifest, modelOf } from './manifest.js';
import { BOTH_METHODS, PLANTING_METHODS } from './planting-method.js';
import { RISK_FACTOR_COUNT, RiskFactors } from './risk-factors.js';
import type { SharedGrid } from './shared-grid.js';
import type { SiteRows } from './site-rows.js';
import type { Species } from './species.js';
import type { Survival } from './survival-model.js';
import { fractionJson, tenThousandths } from './ten-thousandths.js';

const OPEN_SITE = fragment('{"site":{"latitude":');
const LONGITUDE = fragment(',"longitude":');
const MATCHED_LATITUDE = fragment(',"matched_latitude":');
const MATCHED_LONGITUDE = fragment(',"matched_longitude":');
const DISTANCE = fragment(',"match_distance_km":');
const PREDICTIONS = fragment(',"predictions":[');
const COMPARISON = PLANTING_METHODS.map((method, index) =>
  fragment(`${index === 0 ? ',"comparison":{' : '},'}"${method}":{"predictions":[`),
);
const CLOSE_COMPARISON = fragment('}},"method_differential":[');
const PREDICTION = HORIZONS.map((years) => fragment(`{"horizon_years":${years},"survival_probability":`));
const ADVANTAGE = HORIZONS.map((years) => fragment(`{"horizon_years":${years},"manual_advantage":`));
const FACTORS = fragment(',"risk_factors":[');
const CLOSE_PREDICTION = fragment(']}');
const CLOSE_OBJECT = fragment('}');
const CLOSE_LIST = fragment(']');
const COMMA = fragment(',');
const MINUS = fragment('-');
const CLOSE_ELEMENT = fragment('"},');

/** Where a row's site was found in the grid. */
export interface Match {
  readonly point: number;
  readonly distanceKm: number;
}

/** Where a row's result stands in a model's output. */
export interface Predicted {
  readonly survival: Survival;
  readonly row: number;
}

/** Writes the JSON of answers from prepared fragments: only numbers are formatted row by row. */
export class AnswerEncoder {
  readonly #writer = new JsonWriter();
  readonly #riskFactors: RiskFactors;
  readonly #featureCount: number;
  readonly #regions: Uint8Array[];
  readonly #species: Uint8Array[];
  readonly #methods: Uint8Array[];
  /** By feature: the factor with a negative and with a positive impact. */
  readonly #factors: { readonly negative: Uint8Array; readonly positive: Uint8Array }[];
  readonly #model: Uint8Array;
  /** No element is longer. */
  readonly #elementCapacity: number;
  #generatedAtMs = Number.NaN;
  #generatedAt = '';

  constructor(
    readonly grid: SharedGrid,
    manifest: Manifest,
    species: readonly Species[],
  ) {
    const candidates = manifest.features.flatMap((feature, index) => (feature.risk_factor ? [index] : []));
    this.#riskFactors = new RiskFactors(candidates);
    this.#featureCount = manifest.features.length;
    this.#regions = grid.regions.map((region) => fragment(`,"region":${JSON.stringify(region)}}`));
    this.#species = species.map(({ species_code, common_name }) =>
      fragment(
        `,"species_code":${JSON.stringify(species_code)},"species_common_name":${JSON.stringify(common_name)}`,
      ),
    );
    this.#methods = PLANTING_METHODS.map((method) => fragment(`,"planting_method":"${method}"`));
    this.#factors = manifest.features.map(({ label }) => {
      const impact = (sign: string) =>
        fragment(`{"factor":${JSON.stringify(label)},"impact":"${sign}","magnitude":`);
      return { negative: impact('negative'), positive: impact('positive') };
    });
    this.#model = fragment(`,"model":${JSON.stringify(modelOf(manifest))},"generated_at":"`);

    const longest = (fragments: Uint8Array[]) => Math.max(...fragments.map(({ length }) => length));
    const factor = longest(this.#factors.map(({ negative }) => negative)) + 10;
    const prediction = 100 + RISK_FACTOR_COUNT * factor;
    this.#elementCapacity =
      500 +
      longest(this.#regions) +
      longest(this.#species) +
      this.#model.length +
      PLANTING_METHODS.length * HORIZONS.length * prediction;
  }

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#writer.length;
  }

  take(): Uint8Array<ArrayBuffer> {
    return this.#writer.take();
  }

  /**
   * Writes the element of one row, followed by a comma.
   * @param predicted the result of each method of the row, by method code.
   */
  writeAnswer(rows: SiteRows, row: number, match: Match, predicted: readonly Predicted[]): void {
    const writer = this.#writer;
    writer.reserve(this.#elementCapacity);
    this.#writeSite(rows, row, match);
    writer.write(this.#species[rows.species[row]!]!);
    const horizons = rows.horizons[row]!;
    const method = rows.method[row]!;
    if (method === BOTH_METHODS) {
      this.#writeComparison(predicted, horizons);
    } else {
      writer.write(this.#methods[method]!);
      writer.write(PREDICTIONS);
      this.#writePredictions(predicted[method]!, horizons);
    }
    writer.write(this.#model);
    this.#writeGeneratedAt(rows.generatedAtMs[row]!);
    writer.write(CLOSE_ELEMENT);
  }

  #writeSite(rows: SiteRows, row: number, { point, distanceKm }: Match): void {
    const writer = this.#writer;
    writer.write(OPEN_SITE);
    writer.writeAscii(numberJson(rows.latitude[row]!));
    writer.write(LONGITUDE);
    writer.writeAscii(numberJson(rows.longitude[row]!));
    writer.write(MATCHED_LATITUDE);
    writer.writeAscii(numberJson(Math.round(this.grid.latitude[point]! * 1e5) / 1e5));
    writer.write(MATCHED_LONGITUDE);
    writer.writeAscii(numberJson(Math.round(this.grid.longitude[point]! * 1e5) / 1e5));
    writer.write(DISTANCE);
    writer.writeAscii(numberJson(Math.round(distanceKm * 1e3) / 1e3));
    writer.write(this.#regions[this.grid.region[point]!]!);
  }

  /** The predictions of one method and the closing bracket of their list. */
  #writePredictions({ survival, row }: Predicted, horizons: number): void {
    const writer = this.#writer;
    let separator = false;
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      if (separator) writer.write(COMMA);
      separator = true;
      const at = row * HORIZONS.length + h;
      writer.write(PREDICTION[h]!);
      writer.write(fractionJson(tenThousandths(survival.survival[at]!)));
      writer.write(FACTORS);
      this.#riskFactors.rank(survival.contributions, at * this.#featureCount);
      for (let i = 0; i < RISK_FACTOR_COUNT; i++) {
        if (i > 0) writer.write(COMMA);
        const { negative, positive } = this.#factors[this.#riskFactors.features[i]!]!;
        const contribution = this.#riskFactors.contributions[i]!;
        writer.write(contribution < 0 ? negative : positive);
        writer.write(fractionJson(Math.abs(contribution)));
        writer.write(CLOSE_OBJECT);
      }
      writer.write(CLOSE_PREDICTION);
    }
    writer.write(CLOSE_LIST);
  }

  #writeComparison(predicted: readonly Predicted[], horizons: number): void {
    const writer = this.#writer;
    predicted.forEach((result, method) => {
      writer.write(COMPARISON[method]!);
      this.#writePredictions(result, horizons);
    });
    writer.write(CLOSE_COMPARISON);
    let separator = false;
    for (let h = 0; h < HORIZONS.length; h++) {
      if ((horizons & (1 << h)) === 0) continue;
      if (separator) writer.write(COMMA);
      separator = true;
      writer.write(ADVANTAGE[h]!);
      const [manual, droneSeeded] = predicted.map(({ survival, row }) =>
        tenThousandths(survival.survival[row * HORIZONS.length + h]!),
      );
      const advantage = manual! - droneSeeded!;
      if (advantage < 0) writer.write(MINUS);
      writer.write(fractionJson(Math.abs(advantage)));
      writer.write(CLOSE_OBJECT);
    }
    writer.write(CLOSE_LIST);
  }

  #writeGeneratedAt(timeMs: number): void {
    if (timeMs !== this.#generatedAtMs) {
      this.#generatedAtMs = timeMs;
      this.#generatedAt = new Date(timeMs).toISOString();
    }
    this.#writer.writeAscii(this.#generatedAt);
  }
}

/** The JSON of a finite number, as JSON.stringify writes it (-0 is 0). */
function numberJson(value: number): string {
  return String(value);
}
