import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { valueAt } from '../../prediction/artefacts/shared-grid.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { Draws } from '../../prediction/intervals/interval-predictor.js';
import { IntervalQuantiles } from '../../prediction/intervals/interval-quantiles.js';
import type { Survival } from '../../prediction/model/survival-model.js';
import { type Fragment, fragment, type JsonWriter, NUMBER_BYTES } from './json-writer.js';

const MATCHED_ELEVATION = fragment(',"matched_elevation_m":');
const NATIVE = [false, true].map((isNative) =>
  fragment(`,"in_native_range":${isNative},"outside_training":[`),
);
const CLOSE_SITE = fragment(']}');
const HIGH = fragment(',"high":');
const CLOSE_INTERVAL = fragment('}');
const BASELINE = fragment(',"baseline":');
const CONTRIBUTIONS = fragment(',"contributions":[');
const CLOSE_LIST = fragment(']');
const VALUE = fragment(',"value":');
const COMMA = fragment(',');

const INTERVAL_DECIMALS = 4;
const CONTRIBUTION_DECIMALS = 6;
const CONTRIBUTION_SCALE = 10 ** CONTRIBUTION_DECIMALS;
/** Values and averages have 3 decimals: more than the grid's steps. */
const VALUE_SCALE = 1000;
const rounded = (value: number) => Math.round(value * VALUE_SCALE) / VALUE_SCALE;

/** The prediction of one method at one site, to be explained. */
export interface Explained {
  readonly outputs: Survival;
  /** The site's position in the outputs. */
  readonly position: number;
  /** Index into PLANTING_METHODS. */
  readonly method: number;
  readonly species: number;
  /** Float32 [features]: as the model saw them. */
  readonly features: Float32Array;
}

/** A row with its draws by method, undefined for a method that it does not ask for. */
export interface Drawn {
  readonly draws: readonly (Draws | undefined)[];
  readonly row: number;
}

/** What options add to the predictions of a row. */
export interface RowDetails {
  readonly drawn?: Drawn;
  /** By method. */
  readonly explained?: readonly Explained[];
}

/** The maximum size of what options add to the element of one row, in bytes. */
export function detailsCapacity({ features }: Artefacts['manifest']): number {
  const texts = features.map(({ name, label, unit }) =>
    Buffer.byteLength(JSON.stringify([name, label, unit])),
  );
  const contributions = texts.reduce((sum, bytes) => sum + bytes + 80 + 3 * NUMBER_BYTES, 0);
  const site = 100 + NUMBER_BYTES + contributions; // the names of the features at most
  const interval = 50 + 3 * NUMBER_BYTES;
  const prediction = interval + 50 + NUMBER_BYTES + contributions;
  return site + HORIZONS.length * (PLANTING_METHODS.length * prediction + interval);
}

/** Writes what `include` adds to an answer. */
export class DetailEncoder {
  readonly #quantiles: IntervalQuantiles;
  readonly #openInterval: Fragment;
  readonly #elevation: Artefacts['grid']['columns'][string];
  readonly #nativeRanges: Uint32Array;
  readonly #quotedNames: readonly Fragment[];
  /** Float32 [features]: the range of the training sites. A feature is compared as the models see it. */
  readonly #lowest: Float32Array;
  readonly #highest: Float32Array;
  /** The JSON around the numbers of a contribution, by feature. */
  readonly #open: readonly Fragment[];
  /** The JSON after a value, by method, species and feature. */
  readonly #averages: readonly (readonly (readonly Fragment[])[])[];
  /** Rounded contributions that are being written, and their features in order. */
  readonly #rounded: Int32Array;
  readonly #order: Int32Array;

  constructor(
    private readonly writer: JsonWriter,
    { grid, manifest: { features, methods, interval_level } }: Pick<Artefacts, 'grid' | 'manifest'>,
  ) {
    const level = interval_level ?? 0; // no row asks for intervals of models that have none
    this.#quantiles = new IntervalQuantiles(level);
    this.#openInterval = fragment(`,"interval":{"level":${level},"low":`);
    this.#elevation = grid.columns.elevation;
    this.#nativeRanges = grid.nativeRanges;
    this.#quotedNames = features.map(({ name }) => fragment(JSON.stringify(name)));
    this.#lowest = Float32Array.from(features, ({ training }) => training.p1);
    this.#highest = Float32Array.from(features, ({ training }) => training.p99);
    this.#open = features.map(({ name, label }) =>
      fragment(`{"feature":${JSON.stringify(name)},"factor":${JSON.stringify(label)},"contribution":`),
    );
    this.#averages = PLANTING_METHODS.map((method) =>
      methods[method].averages.map((ofSpecies) =>
        ofSpecies.map((average, feature) =>
          fragment(`,"unit":${JSON.stringify(features[feature].unit)},"average":${rounded(average)}}`),
        ),
      ),
    );
    this.#rounded = new Int32Array(features.length);
    this.#order = new Int32Array(features.length);
  }

  /**
   * Adds fields to the site that was written last.
   * @param features Float32 [features]: as the models saw them
   */
  writeSite(point: number, species: number, features: Float32Array): void {
    const { writer } = this;
    writer.length--; // its closing brace
    writer.write(MATCHED_ELEVATION);
    writer.writeNumber(valueAt(this.#elevation, point));
    writer.write(NATIVE[(this.#nativeRanges[point] >>> species) & 1]);
    let isFirst = true;
    for (let f = 0; f < features.length; f++) {
      if (features[f] >= this.#lowest[f] && features[f] <= this.#highest[f]) continue;
      if (!isFirst) writer.write(COMMA);
      isFirst = false;
      writer.write(this.#quotedNames[f]);
    }
    writer.write(CLOSE_SITE);
  }

  /**
   * Writes the interval of one method's survival.
   * @param h index into HORIZONS
   * @param reported the survival that is reported, in ten-thousandths
   */
  writeInterval({ draws, row }: Drawn, method: number, h: number, reported: number): void {
    const ofMethod = draws[method];
    if (ofMethod === undefined) throw new Error(`no draws of method ${method}`);
    this.#quantiles.ofMethod(ofMethod, row, h, reported);
    this.#writeEnds();
  }

  /** Writes the interval of the difference between the methods. @param reported the difference, in ten-thousandths */
  writeDifferenceInterval({ draws: [manual, droneSeeded], row }: Drawn, h: number, reported: number): void {
    if (manual === undefined || droneSeeded === undefined) throw new Error('no draws of both methods');
    this.#quantiles.ofDifference(manual, droneSeeded, row, h, reported);
    this.#writeEnds();
  }

  #writeEnds(): void {
    const { writer } = this;
    writer.write(this.#openInterval);
    writer.writeDecimal(this.#quantiles.low, INTERVAL_DECIMALS);
    writer.write(HIGH);
    writer.writeDecimal(this.#quantiles.high, INTERVAL_DECIMALS);
    writer.write(CLOSE_INTERVAL);
  }

  /** Writes the baseline and all contributions at a horizon. @param h index into HORIZONS */
  writeExplanation({ outputs, position, method, species, features }: Explained, h: number): void {
    const { writer } = this;
    const output = position * HORIZONS.length + h;
    writer.write(BASELINE);
    writer.writeDecimal(Math.round(outputs.baseline[output] * CONTRIBUTION_SCALE), CONTRIBUTION_DECIMALS);
    writer.write(CONTRIBUTIONS);
    this.#rank(outputs.contributions, output * features.length);
    for (let rank = 0; rank < features.length; rank++) {
      const f = this.#order[rank];
      if (rank > 0) writer.write(COMMA);
      writer.write(this.#open[f]);
      writer.writeDecimal(this.#rounded[f], CONTRIBUTION_DECIMALS);
      writer.write(VALUE);
      writer.writeNumber(rounded(features[f]));
      writer.write(this.#averages[method][species][f]);
    }
    writer.write(CLOSE_LIST);
  }

  /** Rounds the contributions that start at an offset and orders the features: largest first, of equal ones the first. */
  #rank(contributions: Float32Array, offset: number): void {
    const values = this.#rounded;
    const order = this.#order;
    for (let f = 0; f < values.length; f++) {
      values[f] = Math.round(contributions[offset + f] * CONTRIBUTION_SCALE);
      const size = Math.abs(values[f]);
      let rank = f;
      for (; rank > 0 && Math.abs(values[order[rank - 1]]) < size; rank--) order[rank] = order[rank - 1];
      order[rank] = f;
    }
  }
}
