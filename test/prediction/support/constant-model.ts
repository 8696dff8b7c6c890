import { ELEMENT_TYPE, encodeOnnx, type OnnxNode } from './onnx-encoding.js';

/** A model that gives the same answer for every row. */
export interface ConstantModel {
  /** By horizon. */
  readonly survival: readonly number[];
  readonly baseline: readonly number[];
  /** By horizon, by feature. */
  readonly contributions: readonly (readonly number[])[];
  /** Features the graph takes; by default those it contributes. */
  readonly featureCount?: number;
  /** Rows the graph takes; any number by default. */
  readonly rows?: number;
  /** Names of the outputs, where not those of the contract. */
  readonly rename?: Readonly<Record<string, string>>;
  readonly inputNames?: readonly [features: string, species: string];
  /** Products of a row with a matrix of SLOW_WIDTH by SLOW_WIDTH whose results the graph does not use; none by default. */
  readonly idleProducts?: number;
}

const SLOW_WIDTH = 1500;

/** A constant model that keeps the contract. The last features, those of practice, contribute nothing. */
export function soundModel(featureCount: number): ConstantModel {
  const contributions = [0.05, 0.04, 0.03].map((largest) => [
    largest,
    -0.001,
    ...Array.from({ length: featureCount - 2 }, () => 0),
  ]);
  const baseline = [0.8, 0.6, 0.4];
  const survival = contributions.map((row, h) => row.reduce((sum, value) => sum + value, baseline[h]));
  return { baseline, survival, contributions };
}

/** The ONNX file of a constant model. Its answers are constants added to features x 0, so their number and that of the features is checked. */
export function encodeConstantModel(model: ConstantModel): Buffer {
  const { survival, baseline, contributions, rename = {} } = model;
  const horizons = contributions.length;
  const width = contributions[0].length;
  const inputCount = model.featureCount ?? width;
  const rows = model.rows ?? 'rows';
  const [features, species] = model.inputNames ?? ['features', 'species'];
  const named = (name: string) => rename[name] ?? name;
  const output = (name: string, dimensions: readonly number[]) => ({
    name: named(name),
    elementType: ELEMENT_TYPE.float32,
    dimensions: [rows, ...dimensions],
  });
  const row = (values: readonly number[]) => ({
    dimensions: [1, values.length],
    values: Float32Array.from(values),
  });
  const idle = Array.from({ length: model.idleProducts ?? 0 }, (_, i) => ({
    operator: 'MatMul',
    inputs: [i === 0 ? features : `idle_${i - 1}`, i === 0 ? 'idle_wide' : 'idle_square'],
    output: `idle_${i}`,
  }));
  const [last, lastWidth] = idle.length === 0 ? [features, inputCount] : [idle.at(-1)!.output, SLOW_WIDTH];
  const zeros = (...dimensions: readonly [number, number]) => ({
    dimensions,
    values: new Float32Array(dimensions[0] * dimensions[1]),
  });
  const nodes: OnnxNode[] = [
    ...idle,
    { operator: 'MatMul', inputs: [last, 'none'], output: 'zero' },
    { operator: 'Add', inputs: ['zero', 'survival_row'], output: named('survival') },
    { operator: 'Add', inputs: ['zero', 'baseline_row'], output: named('baseline') },
    { operator: 'Unsqueeze', inputs: ['zero', 'axis_2'], output: 'zero_3d' },
    { operator: 'Add', inputs: ['zero_3d', 'contribution_rows'], output: named('contributions') },
  ];
  return encodeOnnx({
    inputs: [
      {
        name: features,
        elementType: ELEMENT_TYPE.float32,
        dimensions: [rows, inputCount],
      },
      { name: species, elementType: ELEMENT_TYPE.int64, dimensions: [rows] },
    ],
    outputs: [
      output('survival', [survival.length]),
      output('baseline', [baseline.length]),
      output('contributions', [horizons, width]),
    ],
    nodes,
    constants: {
      none: zeros(lastWidth, horizons),
      ...(idle.length > 0 && {
        idle_wide: zeros(inputCount, SLOW_WIDTH),
        idle_square: zeros(SLOW_WIDTH, SLOW_WIDTH),
      }),
      survival_row: row(survival),
      baseline_row: row(baseline),
      axis_2: { dimensions: [1], values: BigInt64Array.of(2n) },
      contribution_rows: {
        dimensions: [1, horizons, width],
        values: Float32Array.from(contributions.flat()),
      },
    },
  });
}
