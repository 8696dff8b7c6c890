import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { Manifest, ModelFile } from '../artefacts/manifest.js';
import { openSession, SpeciesInput } from '../model/session.js';

/** The interval graph of one planting method, ready to run in this thread. */
export class IntervalModel {
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
   * Opens the file of an interval graph.
   * @throws ArtefactError where onnxruntime cannot read it or its inputs and output are not those of the contract
   */
  static async open(file: ModelFile, { features, species }: Manifest): Promise<IntervalModel> {
    const session = await openSession(file, ['features', 'species', 'errors'], ['draws']);
    return new IntervalModel(session, file.path, features.length, species.length);
  }

  /**
   * Runs the graph for at least one row.
   * @param features Float32 [n, features]
   * @param species [n] indexes of species
   * @param errors Float32 [n, features]: standard errors, in the features' units
   * @returns Float32 [n, horizons, draws]: survival in equally likely worlds; a draw is the same world for both methods
   */
  async run(features: Float32Array, species: Uint8Array, errors: Float32Array): Promise<Float32Array> {
    const count = species.length;
    const { draws } = await this.session.run({
      features: new Tensor('float32', features, [count, this.featureCount]),
      species: new Tensor('int64', this.#species.of(species), [count]),
      errors: new Tensor('float32', errors, [count, this.featureCount]),
    });
    return draws.data as Float32Array;
  }
}
