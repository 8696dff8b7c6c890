import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE, type Manifest } from '../../../src/prediction/artefacts/manifest.js';
import { HORIZONS, PLANTING_METHODS } from '../../../src/prediction/dimensions.js';
import type { ProjectCopy } from '../../../testing/project-copy.js';
import { seededRandom } from '../../../testing/random.js';
import { ELEMENT_TYPE, encodeOnnx } from './onnx-encoding.js';

/** Deviations of an interval graph from the contract. */
export interface IntervalFaults {
  readonly drawCount?: number;
  /** Added to every draw. */
  readonly shift?: number;
  /** The change of survival's logit from one horizon to the next. */
  readonly change?: number;
  readonly outputName?: string;
}

/**
 * The ONNX file of a small interval graph: in each draw survival's logit is linear in the features, with a level of its
 * own for each species, moved by draws of the features' errors that both methods share.
 */
export function encodeIntervalModel(
  { features, species }: Pick<Manifest, 'features' | 'species'>,
  method: number,
  { drawCount = 32, shift = 0, change = -0.5, outputName = 'draws' }: IntervalFaults = {},
): Buffer {
  const shared = seededRandom(8);
  const own = seededRandom(9 + method);
  const scaled = (random: () => number) =>
    features.map(({ minimum, maximum }) => (4 * (random() - 0.5)) / (maximum - minimum));
  const column = (values: readonly number[]) => ({
    dimensions: [values.length, 1],
    values: Float32Array.from(values),
  });
  const scalar = (value: number) => ({ dimensions: [1], values: Float32Array.of(value) });
  const weights = scaled(own);
  const errorWeights = Array.from({ length: drawCount }, () => scaled(shared));
  return encodeOnnx({
    inputs: [
      { name: 'features', elementType: ELEMENT_TYPE.float32, dimensions: ['rows', features.length] },
      { name: 'species', elementType: ELEMENT_TYPE.int64, dimensions: ['rows'] },
      { name: 'errors', elementType: ELEMENT_TYPE.float32, dimensions: ['rows', features.length] },
    ],
    outputs: [
      {
        name: outputName,
        elementType: ELEMENT_TYPE.float32,
        dimensions: ['rows', HORIZONS.length, drawCount],
      },
    ],
    nodes: [
      { operator: 'MatMul', inputs: ['features', 'weights'], output: 'of_features' },
      { operator: 'Gather', inputs: ['levels', 'species'], output: 'of_species' },
      { operator: 'MatMul', inputs: ['errors', 'error_weights'], output: 'of_errors' },
      { operator: 'Add', inputs: ['of_features', 'of_species'], output: 'level' },
      { operator: 'Add', inputs: ['level', 'of_errors'], output: 'of_row' },
      { operator: 'Unsqueeze', inputs: ['of_row', 'axis_1'], output: 'of_rows' },
      { operator: 'Add', inputs: ['of_rows', 'horizons'], output: 'logit' },
      { operator: 'Sigmoid', inputs: ['logit'], output: 'survival' },
      { operator: 'Add', inputs: ['survival', 'shift'], output: outputName },
    ],
    constants: {
      weights: column(weights),
      levels: column(species.map(() => 2 * (own() - 0.5))),
      error_weights: {
        dimensions: [features.length, drawCount],
        values: Float32Array.from(features.flatMap((_, f) => errorWeights.map((row) => 3 * row[f]))),
      },
      axis_1: { dimensions: [1], values: BigInt64Array.of(1n) },
      horizons: {
        dimensions: [1, HORIZONS.length, 1],
        values: Float32Array.from(HORIZONS, (_, h) => change * h),
      },
      shift: scalar(shift),
    },
  });
}

/**
 * Adds interval graphs to the models of a copy, and gives precipitation a relative error.
 * @param encode the file of a method's graph
 */
export function addIntervalModels(
  copy: ProjectCopy,
  encode = (manifest: Manifest, method: number) => encodeIntervalModel(manifest, method),
): void {
  copy.editJson(path.join(copy.modelDir, MANIFEST_FILE), (manifest: Manifest) => {
    const methods = PLANTING_METHODS.map((name, method) => {
      const bytes = encode(manifest, method);
      const file = `${name}-intervals.onnx`;
      writeFileSync(path.join(copy.modelDir, file), bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return [name, { ...manifest.methods[name], intervals: { file, sha256 } }];
    });
    const features = manifest.features.map((feature) =>
      feature.name === 'precipitation_annual'
        ? { ...feature, error: { at_point: 0.06, per_km: 0.05, relative: true } }
        : feature,
    );
    Object.assign(manifest, { interval_level: 0.8, features, methods: Object.fromEntries(methods) });
  });
}

/** Takes the interval graphs from the models of a copy, if they have any. */
export function removeIntervalModels(copy: ProjectCopy): void {
  copy.editJson(path.join(copy.modelDir, MANIFEST_FILE), (manifest: Manifest) => {
    const methods = PLANTING_METHODS.map((name) => {
      const { intervals, ...method } = manifest.methods[name];
      return [name, method];
    });
    Object.assign(manifest, { interval_level: null, methods: Object.fromEntries(methods) });
  });
}
