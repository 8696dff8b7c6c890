import type { Artefacts } from '../artefacts/artefacts.js';
import { valueAt } from '../artefacts/shared-grid.js';
import { HORIZONS, PLANTING_METHODS } from '../dimensions.js';
import type { Survival } from '../model/survival-model.js';
import { type Fragment, fragment, type JsonWriter, NUMBER_BYTES } from './json-writer.js';

const MATCHED_ELEVATION = fragment(',"matched_elevation_m":');
const NATIVE = [false, true].map((isNative) =>
  fragment(`,"in_native_range":${isNative},"outside_training":[`),
);
const CLOSE_SITE = fragment(']}');
const BASELINE = fragment(',"baseline":');
const CONTRIBUTIONS = fragment(',"contributions":[');
const CLOSE_LIST = fragment(']');
const VALUE = fragment(',"value":');
const COMMA = fragment(',');

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

/** What options add to the predictions of a row. */
export interface RowDetails {
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
  return site + PLANTING_METHODS.length * HORIZONS.length * (50 + NUMBER_BYTES + contributions);
}

/** Writes what `include` adds to an answer. */
export class DetailEncoder {
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
  /** Of the contributions being written: rounded, and the features in order. */
  readonly #rounded: Int32Array;
  readonly #order: Int32Array;

  constructor(
    private readonly writer: JsonWriter,
    { grid, manifest: { features, methods } }: Pick<Artefacts, 'grid' | 'manifest'>,
  ) {
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
