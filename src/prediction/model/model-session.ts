import './no-telemetry.js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ArtefactError } from '../artefacts/artefact-error.js';
import type { Manifest, ModelFile } from '../artefacts/manifest.js';

// One thread each: the workers are the parallelism, and the default of one per core halves their throughput.
const OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
} as const satisfies InferenceSession.SessionOptions;

/** An ONNX file that is open in this thread, with inputs by site: features, a species and, for some graphs, more. */
export class ModelSession<Output extends string> {
  /** A BigInt for each species, since creating one for each row would cost time. */
  readonly #speciesIndexes: readonly bigint[];
  readonly featureCount: number;

  private constructor(
    private readonly session: InferenceSession,
    readonly file: string,
    private readonly outputs: readonly Output[],
    { features, species }: Manifest,
  ) {
    this.featureCount = features.length;
    this.#speciesIndexes = species.map((_, index) => BigInt(index));
  }

  /**
   * Opens an ONNX file.
   * @throws ArtefactError where onnxruntime cannot read it, or it lacks an input or an output
   */
  static async open<Output extends string>(
    { path, bytes }: ModelFile,
    manifest: Manifest,
    inputs: readonly string[],
    outputs: readonly Output[],
  ): Promise<ModelSession<Output>> {
    const session = await InferenceSession.create(bytes, OPTIONS).catch((error: Error) => {
      throw new ArtefactError(path, `onnxruntime cannot load it: ${error.message.split('\n')[0]}`);
    });
    const has = (names: readonly string[], wanted: readonly string[]) =>
      wanted.every((name) => names.includes(name));
    if (!has(session.inputNames, inputs) || !has(session.outputNames, outputs)) {
      throw new ArtefactError(
        path,
        `has inputs ${session.inputNames} and outputs ${session.outputNames}, not ${inputs.join(', ')} and ${outputs}`,
      );
    }
    return new ModelSession(session, path, outputs, manifest);
  }

  /**
   * Runs the graph for at least one row.
   * @param columns Float32 [n, features] each, by the name of their input
   * @param species [n] indexes of species
   * @returns each output, Float32
   */
  async run(
    columns: Readonly<Record<string, Float32Array>>,
    species: Uint8Array,
  ): Promise<Record<Output, Float32Array>> {
    const count = species.length;
    const indexes = new BigInt64Array(count);
    for (let row = 0; row < count; row++) indexes[row] = this.#speciesIndexes[species[row]];
    const feeds: Record<string, Tensor> = { species: new Tensor('int64', indexes, [count]) };
    for (const [name, values] of Object.entries(columns))
      feeds[name] = new Tensor('float32', values, [count, this.featureCount]);
    const results = await this.session.run(feeds);
    const data = this.outputs.map((name) => [name, results[name].data]);
    return Object.fromEntries(data) as Record<Output, Float32Array>;
  }
}
