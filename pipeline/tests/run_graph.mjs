// Runs a graph on rows of little-endian numbers, as the service would: node run_graph.mjs GRAPH DIRECTORY
// DIRECTORY has a file for each input; `output` gets all outputs as float32, one after the other.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const [graph, directory] = process.argv.slice(2);
const bytes = (name) => new Uint8Array(readFileSync(join(directory, name))).buffer;
const species = new BigInt64Array(bytes('species'));
const rows = species.length;

const session = await InferenceSession.create(graph, { intraOpNumThreads: 1 });
const inputs = session.inputNames.map((name) => {
  if (name === 'species') return [name, new Tensor('int64', species, [rows])];
  const values = new Float32Array(bytes(name));
  return [name, new Tensor('float32', values, [rows, values.length / rows])];
});
const answer = await session.run(Object.fromEntries(inputs));
const buffers = session.outputNames.map((name) => {
  const part = answer[name].data;
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength);
});
writeFileSync(join(directory, 'output'), Buffer.concat(buffers));
