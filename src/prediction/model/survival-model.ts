import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { Manifest, ModelFile } from '../artefacts/manifest.js';
import { openSession, SpeciesInput } from './session.js';

/** A model's outputs for n rows. */
export interface Survival {
  /** Float32 [n, horizons]: probabilities. */
  readonly survival: Float32Array;
  /** Float32 [n, horizons]: the average site of the row's species. */
  readonly baseline: Float32Array;
  /** Float32 [n, horizons, features]: survival = baseline + their sum. */
  readonly contributions: Float32Array;
}

const INPUTS = ['features', 'species'] as const;
const OUTPUTS = ['survival', 'baseline', 'contributions'] as const;

const NO_ROWS: Survival = {
  survival: new Float32Array(0),
  baseline: new Float32Array(0),
  contributions: new Float32Array(0),
};

/** The survival model of one planting method, ready to run in this thread. */
export class SurvivalModel {
  readonly #species: SpeciesInput;

  private constructor(
    private readonly session: InferenceSession,
    readonly file: string,
    readonly featureCount: number,
    speciesCount: number,
  ) {
    this.#species = new SpeciesInput(speciesCount);
  }

  /**
   * Opens a model file.
   * @throws ArtefactError where onnxruntime cannot read it or its inputs and outputs are not those of the contract
   */
  static async open(file: ModelFile, { features, species }: Manifest): Promise<SurvivalModel> {
    const session = await openSession(file, INPUTS, OUTPUTS);
    return new SurvivalModel(session, file.path, features.length, species.length);
  }

  /**
   * Runs the model.
   * @param features Float32 [n, features]
   * @param species [n] indexes of species
   */
  async run(features: Float32Array, species: Uint8Array): Promise<Survival> {
    const count = species.length;
    if (count === 0) return NO_ROWS;
    const output = await this.session.run({
      features: new Tensor('float32', features, [count, this.featureCount]),
      species: new Tensor('int64', this.#species.of(species), [count]),
    });
    return Object.fromEntries(OUTPUTS.map((name) => [name, output[name].data])) as unknown as Survival;
  }
}
