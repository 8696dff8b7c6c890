import './no-telemetry.js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ArtefactError } from '../artefacts/artefact-error.js';
import type { Manifest, ModelFile } from '../artefacts/manifest.js';

/** A model's outputs for n rows. */
export interface Survival {
  /** Float32 [n, horizons]: probabilities. */
  readonly survival: Float32Array;
  /** Float32 [n, horizons]: the average site of the row's species. */
  readonly baseline: Float32Array;
  /** Float32 [n, horizons, features]: survival = baseline + their sum. */
  readonly contributions: Float32Array;
}

// One thread each: the workers are the parallelism, and the default of one per core halves their throughput.
const SESSION_OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
} as const satisfies InferenceSession.SessionOptions;

const OUTPUTS = ['survival', 'baseline', 'contributions'] as const;

const NO_ROWS: Survival = {
  survival: new Float32Array(0),
  baseline: new Float32Array(0),
  contributions: new Float32Array(0),
};

/** The survival model of one planting method, ready to run in this thread. */
export class SurvivalModel {
  /** The index of each species as a BigInt: creating one for each row would cost time. */
  readonly #speciesIndexes: readonly bigint[];

  private constructor(
    private readonly session: InferenceSession,
    readonly file: string,
    readonly featureCount: number,
    speciesCount: number,
  ) {
    this.#speciesIndexes = Array.from({ length: speciesCount }, (_, index) => BigInt(index));
  }

  /**
   * Opens a model file.
   * @throws ArtefactError where onnxruntime cannot read it or its inputs and outputs are not those of the contract
   */
  static async open({ path, bytes }: ModelFile, manifest: Manifest): Promise<SurvivalModel> {
    const session = await InferenceSession.create(bytes, SESSION_OPTIONS).catch((error: Error) => {
      throw new ArtefactError(path, `onnxruntime cannot load it: ${error.message.split('\n')[0]}`);
    });
    const has = (names: readonly string[], wanted: readonly string[]) =>
      wanted.every((name) => names.includes(name));
    if (!has(session.inputNames, ['features', 'species']) || !has(session.outputNames, OUTPUTS)) {
      throw new ArtefactError(
        path,
        `has inputs ${session.inputNames} and outputs ${session.outputNames}, not features, species and ${OUTPUTS}`,
      );
    }
    return new SurvivalModel(session, path, manifest.features.length, manifest.species.length);
  }

  /**
   * Runs the model.
   * @param features Float32 [n, features]
   * @param species [n] indexes of species
   */
  async run(features: Float32Array, species: Uint8Array): Promise<Survival> {
    const count = species.length;
    if (count === 0) return NO_ROWS;
    const speciesInput = new BigInt64Array(count);
    for (let row = 0; row < count; row++) speciesInput[row] = this.#speciesIndexes[species[row]];
    const output = await this.session.run({
      features: new Tensor('float32', features, [count, this.featureCount]),
      species: new Tensor('int64', speciesInput, [count]),
    });
    return Object.fromEntries(OUTPUTS.map((name) => [name, output[name].data])) as unknown as Survival;
  }
}
