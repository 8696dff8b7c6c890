/**
 * The few messages of ONNX that a small model needs, as protobuf bytes.
 * Field numbers: onnx.proto3 of ONNX, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
 */
export const ELEMENT_TYPE = { float32: 1, int64: 7, bool: 9 } as const;

export interface TensorShape {
  readonly name: string;
  readonly elementType: number;
  /** A name stands for a dimension that is not fixed; undefined for any shape. */
  readonly dimensions: readonly (number | string)[] | undefined;
  /** Whether it is a sequence of such tensors. */
  readonly isSequence?: true;
}

export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly output: string;
  /** The graph that a `Loop` repeats. */
  readonly body?: OnnxGraph;
}

export interface OnnxGraph {
  readonly inputs: readonly TensorShape[];
  readonly outputs: readonly TensorShape[];
  readonly nodes: readonly OnnxNode[];
  /** Float32, or int64 as bigint. */
  readonly constants: Readonly<Record<string, OnnxConstant>>;
}

interface OnnxConstant {
  readonly dimensions: readonly number[];
  readonly values: Float32Array | BigInt64Array;
  /** The file to read the values from, if not the model. */
  readonly file?: string | undefined;
}

const IR_VERSION = 8;
const OPSET = 17;

/** Encodes a graph as an ONNX model file. */
export function encodeOnnx(graph: OnnxGraph): Buffer {
  const opset = number(2, OPSET);
  return Buffer.concat([number(1, IR_VERSION), message(7, encodeGraph(graph)), message(8, opset)]);
}

function encodeGraph({ inputs, outputs, nodes, constants }: OnnxGraph): Buffer {
  return Buffer.concat([
    ...nodes.map((node) => message(1, encodeNode(node))),
    message(2, Buffer.from('g')),
    ...Object.entries(constants).map(([name, { dimensions, values, file }]) =>
      message(
        5,
        Buffer.concat([
          ...dimensions.map((dimension) => number(1, dimension)),
          number(2, values instanceof Float32Array ? ELEMENT_TYPE.float32 : ELEMENT_TYPE.int64),
          message(8, Buffer.from(name)),
          ...(file === undefined
            ? [message(9, Buffer.from(values.buffer, values.byteOffset, values.byteLength))]
            : [message(13, Buffer.concat([LOCATION, message(2, Buffer.from(file))])), number(14, EXTERNAL)]),
        ]),
      ),
    ),
    ...inputs.map((input) => message(11, encodeShape(input))),
    ...outputs.map((output) => message(12, encodeShape(output))),
  ]);
}

const GRAPH_ATTRIBUTE = 5;
const [LOCATION, EXTERNAL] = [message(1, Buffer.from('location')), 1];

function encodeNode({ operator, inputs, output, body }: OnnxNode): Buffer {
  return Buffer.concat([
    ...inputs.map((input) => message(1, Buffer.from(input))),
    message(2, Buffer.from(output)),
    message(4, Buffer.from(operator)),
    ...(body === undefined
      ? []
      : [
          message(
            5,
            Buffer.concat([
              message(1, Buffer.from('body')),
              message(6, encodeGraph(body)),
              number(20, GRAPH_ATTRIBUTE),
            ]),
          ),
        ]),
  ]);
}

function encodeShape({ name, elementType, dimensions, isSequence }: TensorShape): Buffer {
  const sizes = dimensions?.map((size) =>
    message(1, typeof size === 'number' ? number(1, size) : message(2, Buffer.from(size))),
  );
  const shape = sizes === undefined ? [] : [message(2, Buffer.concat(sizes))];
  const tensor = message(1, Buffer.concat([number(1, elementType), ...shape]));
  const type = isSequence ? message(4, message(1, tensor)) : tensor;
  return Buffer.concat([message(1, Buffer.from(name)), message(2, type)]);
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function message(field: number, content: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
