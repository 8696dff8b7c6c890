import { systemClock } from '../accounts/clock.js';
import { runKeys } from './run-keys.js';

const { exitCode, stdout, stderr } = await runKeys(process.argv.slice(2), process.env, systemClock);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
