import type { Manifest, ModelFile } from '../artefacts/manifest.js';
import { ModelSession } from '../model/model-session.js';

/** The interval graph of one planting method, ready to run in this thread. */
export class IntervalModel {
  private constructor(private readonly session: ModelSession<'draws'>) {}

  /**
   * Opens the file of an interval graph.
   * @throws ArtefactError where onnxruntime cannot read it or its inputs and output are not those of the contract
   */
  static async open(file: ModelFile, manifest: Manifest): Promise<IntervalModel> {
    const inputs = ['features', 'species', 'errors'];
    return new IntervalModel(await ModelSession.open(file, manifest, inputs, ['draws']));
  }

  get file(): string {
    return this.session.file;
  }

  get featureCount(): number {
    return this.session.featureCount;
  }

  /**
   * Runs the graph for at least one row.
   * @param features Float32 [n, features]
   * @param species [n] indexes of species
   * @param errors Float32 [n, features]: standard errors, in the features' units
   * @returns Float32 [n, horizons, draws]: survival in equally likely worlds; a draw is the same world for both methods
   */
  async run(features: Float32Array, species: Uint8Array, errors: Float32Array): Promise<Float32Array> {
    return (await this.session.run({ features, errors }, species)).draws;
  }
}
