// Runs a graph on rows of little-endian numbers, as the service would: node run_graph.mjs GRAPH FEATURES SPECIES OUTPUT
// OUTPUT gets survival, baseline and contributions as float32, one after the other.
import { readFileSync, writeFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const [graph, featuresFile, speciesFile, output] = process.argv.slice(2);
const bytes = (file) => new Uint8Array(readFileSync(file)).buffer;
const features = new Float32Array(bytes(featuresFile));
const species = new BigInt64Array(bytes(speciesFile));
const rows = species.length;

const session = await InferenceSession.create(graph, { intraOpNumThreads: 1 });
const answer = await session.run({
  features: new Tensor('float32', features, [rows, features.length / rows]),
  species: new Tensor('int64', species, [rows]),
});
const parts = ['survival', 'baseline', 'contributions'].map((name) => answer[name].data);
const buffers = parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength));
writeFileSync(output, Buffer.concat(buffers));
