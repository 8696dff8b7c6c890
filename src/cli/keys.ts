import { systemClock } from '../accounts/clock.js';
import { writeError, writeOutput, writeSecret } from '../output/write-output.js';
import { runKeys } from './run-keys.js';

const { exitCode, stderr } = await runKeys(
  process.argv.slice(2),
  process.env,
  systemClock,
  writeOutput,
  writeSecret,
);
writeError(stderr);
process.exitCode = exitCode;
