import type { Manifest, ModelFile } from '../artefacts/manifest.js';
import { ModelSession } from './model-session.js';

/** A model's outputs for n rows. */
export interface Survival {
  /** Float32 [n, horizons]: probabilities. */
  readonly survival: Float32Array;
  /** Float32 [n, horizons]: the average site of the row's species. */
  readonly baseline: Float32Array;
  /** Float32 [n, horizons, features]: survival = baseline + their sum. */
  readonly contributions: Float32Array;
}

const NO_ROWS: Survival = {
  survival: new Float32Array(0),
  baseline: new Float32Array(0),
  contributions: new Float32Array(0),
};

/** The survival model of one planting method, ready to run in this thread. */
export class SurvivalModel {
  private constructor(private readonly session: ModelSession<keyof Survival>) {}

  /**
   * Opens a model file.
   * @throws ArtefactError where onnxruntime cannot read it or its inputs and outputs are not those of the contract
   */
  static async open(file: ModelFile, manifest: Manifest): Promise<SurvivalModel> {
    const outputs = ['survival', 'baseline', 'contributions'] as const;
    return new SurvivalModel(await ModelSession.open(file, manifest, ['features', 'species'], outputs));
  }

  get file(): string {
    return this.session.file;
  }

  get featureCount(): number {
    return this.session.featureCount;
  }

  /**
   * Runs the model.
   * @param features Float32 [n, features]
   * @param species [n] indexes of species
   */
  async run(features: Float32Array, species: Uint8Array): Promise<Survival> {
    return species.length === 0 ? NO_ROWS : this.session.run({ features }, species);
  }
}
