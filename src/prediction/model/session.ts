import './no-telemetry.js';
import { InferenceSession } from 'onnxruntime-node';
import { ArtefactError } from '../artefacts/artefact-error.js';
import type { ModelFile } from '../artefacts/manifest.js';

// One thread each: the workers are the parallelism, and the default of one per core halves their throughput.
const OPTIONS = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
} as const satisfies InferenceSession.SessionOptions;

/**
 * Opens an ONNX file.
 * @throws ArtefactError where onnxruntime cannot read it, or it lacks an input or an output
 */
export async function openSession(
  { path, bytes }: ModelFile,
  inputs: readonly string[],
  outputs: readonly string[],
): Promise<InferenceSession> {
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
  return session;
}

/** Makes the input of species indexes: a BigInt for each species, since creating one for each row would cost time. */
export class SpeciesInput {
  readonly #indexes: readonly bigint[];

  constructor(speciesCount: number) {
    this.#indexes = Array.from({ length: speciesCount }, (_, index) => BigInt(index));
  }

  of(species: Uint8Array): BigInt64Array {
    const input = new BigInt64Array(species.length);
    for (let row = 0; row < species.length; row++) input[row] = this.#indexes[species[row]];
    return input;
  }
}
