import { writeError, writeOutput, writeSecret } from '../output/write-output.js';
import { runMain } from './command-line.js';
import { runKeys } from './run-keys.js';

await runMain('keys', (args) => runKeys(args, process.env, Date.now, writeOutput, writeSecret, writeError));
