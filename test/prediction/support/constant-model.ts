import { ELEMENT_TYPE, encodeOnnx, type OnnxGraph, type OnnxNode } from './onnx-encoding.js';

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
  /** Unused products of a row with a matrix of SLOW_WIDTH by SLOW_WIDTH, to make the model slow; none by default. */
  readonly idleProducts?: number;
  /** A fault of the graph for rows whose last feature, `seeds_per_spot`, is above a value; without one, in runs of few rows. */
  readonly trap?: { readonly kind: keyof typeof TRAPS; readonly above?: number };
  /** A file that has the survival in place of the model. */
  readonly survivalFile?: string;
  /** An operator that survival passes through last. */
  readonly lastOperator?: 'Transpose' | 'Shape' | 'RandomUniformLike';
}

/** Survival at each horizon in a trap; `endless` does not return. */
const TRAPS = {
  NaN: [Number.NaN, Number.NaN, Number.NaN],
  rising: [0.4, 0.6, 0.8],
  aboveOne: [1.2, 0.6, 0.4],
  endless: [0.8, 0.6, 0.4],
};

const SLOW_WIDTH = 1500;

/** Survival of the sound model summed over the rows of a run, up to which they are few. */
const FEW_ROWS = 10;

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

/** The ONNX file of a constant model, with an output of its own. Its answers are constants added to features x 0, so their number and that of the features is checked. */
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
    ...survivalNodes(model, features, named('survival')),
    { operator: 'Add', inputs: ['zero', 'baseline_row'], output: named('baseline') },
    { operator: 'Unsqueeze', inputs: ['zero', 'axis_2'], output: 'zero_3d' },
    { operator: 'Add', inputs: ['zero_3d', 'contribution_rows'], output: named('contributions') },
    { operator: 'SequenceConstruct', inputs: ['zero'], output: 'own' },
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
      {
        ...output('survival', [survival.length]),
        ...(model.lastOperator === 'Shape' && { elementType: ELEMENT_TYPE.int64 }),
        ...(model.lastOperator !== undefined && { dimensions: undefined }),
      },
      output('baseline', [baseline.length]),
      output('contributions', [horizons, width]),
      { ...output('own', [horizons]), isSequence: true },
    ],
    nodes,
    constants: {
      none: zeros(lastWidth, horizons),
      ...(idle.length > 0 && {
        idle_wide: zeros(inputCount, SLOW_WIDTH),
        idle_square: zeros(SLOW_WIDTH, SLOW_WIDTH),
      }),
      survival_row: { ...row(survival), file: model.survivalFile },
      ...(model.trap !== undefined && {
        last_feature: {
          dimensions: [inputCount, 1],
          values: Float32Array.from({ length: inputCount }, (_, i) => Number(i === inputCount - 1)),
        },
        trap_above: { dimensions: [1], values: Float32Array.of(model.trap.above ?? FEW_ROWS) },
        trap_row: row(TRAPS[model.trap.kind]),
      }),
      baseline_row: row(baseline),
      axis_2: { dimensions: [1], values: BigInt64Array.of(2n) },
      contribution_rows: {
        dimensions: [1, horizons, width],
        values: Float32Array.from(contributions.flat()),
      },
    },
  });
}

/** Adds the survival of the row to zeros, with the trap and the last operator of the model. */
function survivalNodes({ trap, lastOperator }: ConstantModel, features: string, output: string): OnnxNode[] {
  const nodes: OnnxNode[] = [{ operator: 'Add', inputs: ['zero', 'survival_row'], output: 'sound_survival' }];
  const isOfRun = trap?.above === undefined;
  if (trap !== undefined)
    nodes.push(
      isOfRun
        ? { operator: 'ReduceSum', inputs: ['sound_survival'], output: 'trigger' }
        : { operator: 'MatMul', inputs: [features, 'last_feature'], output: 'trigger' },
      { operator: isOfRun ? 'Less' : 'Greater', inputs: ['trigger', 'trap_above'], output: 'is_trapped' },
      { operator: 'Where', inputs: ['is_trapped', 'trap_row', 'sound_survival'], output: 'trapped_survival' },
    );
  if (trap?.kind === 'endless')
    nodes.push(
      { operator: 'ReduceMax', inputs: ['trigger'], output: 'largest_trigger' },
      { operator: 'Greater', inputs: ['largest_trigger', 'trap_above'], output: 'is_any_trapped_2d' },
      { operator: 'Squeeze', inputs: ['is_any_trapped_2d'], output: 'is_any_trapped' },
      {
        operator: 'Loop',
        inputs: ['', 'is_any_trapped', 'trapped_survival'],
        output: 'looped_survival',
        body: ENDLESS_BODY,
      },
    );
  const last = nodes.at(-1)!.output;
  return [...nodes, { operator: lastOperator ?? 'Identity', inputs: [last], output }];
}

/** Continues as long as its condition holds, which it does not change. */
const ENDLESS_BODY: OnnxGraph = {
  inputs: [
    { name: 'iteration', elementType: ELEMENT_TYPE.int64, dimensions: [] },
    { name: 'continues', elementType: ELEMENT_TYPE.bool, dimensions: undefined },
    { name: 'carried', elementType: ELEMENT_TYPE.float32, dimensions: undefined },
  ],
  outputs: [
    { name: 'continues_next', elementType: ELEMENT_TYPE.bool, dimensions: undefined },
    { name: 'carried_next', elementType: ELEMENT_TYPE.float32, dimensions: undefined },
  ],
  nodes: [
    { operator: 'Identity', inputs: ['continues'], output: 'continues_next' },
    { operator: 'Identity', inputs: ['carried'], output: 'carried_next' },
  ],
  constants: {},
};
