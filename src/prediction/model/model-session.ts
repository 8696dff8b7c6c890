import './no-telemetry.js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { oneLine } from '../../output/printable.js';
import { ArtefactError, type ArtefactFile } from '../artefacts/artefact-file.js';
import type { Manifest } from '../artefacts/manifest.js';

// One thread each: the workers are the parallelism, and the default of one per core halves their throughput.
const OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  // Not a folder: weights in other files, of which the manifest has no SHA-256, would be read from the working folder.
  extra: { session: { model_external_initializers_file_folder_path: '/dev/null' } },
} as const satisfies InferenceSession.SessionOptions;

/** The outputs of a survival model for n rows. */
export interface Survival {
  /** Float32 [n, horizons]: probabilities. */
  readonly survival: Float32Array;
  /** Float32 [n, horizons]: the average site of the row's species. */
  readonly baseline: Float32Array;
  /** Float32 [n, horizons, features]: survival = baseline + their sum. */
  readonly contributions: Float32Array;
}

/** The survival model of one planting method. Its column is `features`. */
export type SurvivalModel = ModelSession<keyof Survival>;

/**
 * The interval graph of one planting method. Its columns are `features` and `errors`, their standard errors. Its output is
 * Float32 [n, horizons, draws]: survival in equally likely worlds. A draw is the same world for both methods.
 */
export type IntervalModel = ModelSession<'draws'>;

/** @throws ArtefactError as `ModelSession.open` */
export function openSurvivalModel(file: ArtefactFile, manifest: Manifest): Promise<SurvivalModel> {
  const outputs = ['survival', 'baseline', 'contributions'] as const;
  return ModelSession.open(file, manifest, ['features', 'species'], outputs);
}

/** @throws ArtefactError as `ModelSession.open` */
export function openIntervalModel(file: ArtefactFile, manifest: Manifest): Promise<IntervalModel> {
  return ModelSession.open(file, manifest, ['features', 'species', 'errors'], ['draws']);
}

/**
 * onnxruntime computes four numbers at a time and a remainder one by one, by other instructions whose last bits differ. A
 * run of whole fours gives a site the same numbers whatever other sites are in the run.
 */
const ROWS_AT_A_TIME = 4;

/** An ONNX file that is open in this thread. */
export class ModelSession<Output extends string> {
  readonly featureCount: number;

  private constructor(
    private readonly session: InferenceSession,
    readonly file: string,
    private readonly outputs: readonly Output[],
    { features }: Manifest,
  ) {
    this.featureCount = features.length;
  }

  /** @throws ArtefactError where onnxruntime cannot read the file, or it lacks an input or an output */
  static async open<Output extends string>(
    { path, bytes }: ArtefactFile,
    manifest: Manifest,
    inputs: readonly string[],
    outputs: readonly Output[],
  ): Promise<ModelSession<Output>> {
    const session = await InferenceSession.create(bytes, OPTIONS).catch((error: Error) => {
      if (/external (data|tensors)/i.test(error.message))
        throw new ArtefactError(
          path,
          'has weights in another file, which is not read: save the model as one file',
        );
      throw new ArtefactError(path, `onnxruntime cannot load it: ${oneLine(error.message)}`);
    });
    const { inputNames, outputNames } = session;
    if (
      !inputs.every((name) => inputNames.includes(name)) ||
      !outputs.every((name) => outputNames.includes(name))
    ) {
      const found = `has inputs ${inputNames} and outputs ${outputNames}`;
      throw new ArtefactError(path, `${found}, not ${inputs.join(', ')} and ${outputs}`);
    }
    return new ModelSession(session, path, outputs, manifest);
  }

  /**
   * Runs the graph for at least one row.
   * @param columns Float32 [n, features] each, by the name of their input
   * @throws Error where the graph does not run, or gives another type or number of rows
   */
  async run(
    columns: Readonly<Record<string, Float32Array>>,
    species: Uint8Array,
  ): Promise<Record<Output, Float32Array>> {
    const count = species.length;
    const rows = Math.ceil(count / ROWS_AT_A_TIME) * ROWS_AT_A_TIME;
    const words = new Uint32Array(2 * rows); // int64 in little-endian: creating a BigInt for each row would cost time
    for (let row = 0; row < count; row++) words[2 * row] = species[row];
    const indexes = new BigInt64Array(words.buffer);
    const feeds: Record<string, Tensor> = { species: new Tensor('int64', indexes, [rows]) };
    for (const [name, values] of Object.entries(columns))
      feeds[name] = new Tensor('float32', this.#filled(values, rows), [rows, this.featureCount]);
    const results = await this.session.run(feeds, this.outputs);
    const outputs = this.outputs.map((name) => {
      const { type, dims, data } = results[name];
      if (type !== 'float32' || dims[0] !== rows)
        throw new Error(`${name} is ${type}[${dims}], not float32[${rows}, …]`);
      return [name, (data as Float32Array).subarray(0, (data.length / rows) * count)];
    });
    return Object.fromEntries(outputs) as Record<Output, Float32Array>;
  }

  /** @throws ArtefactError always: the graph breaks the contract */
  refuse(problem: string): never {
    throw new ArtefactError(this.file, problem);
  }

  /** Repeats the last row up to `rows`. */
  #filled(values: Float32Array, rows: number): Float32Array {
    const length = rows * this.featureCount;
    if (values.length === length) return values;
    const filled = new Float32Array(length);
    filled.set(values);
    for (let at = values.length; at < length; at++) filled[at] = filled[at - this.featureCount];
    return filled;
  }
}
