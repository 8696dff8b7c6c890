import { redactKeys } from '../accounts/key-format.js';
import { loadConfig } from '../config.js';
import { oneLine, quote } from '../output/printable.js';
import { writeError, writeOutput } from '../output/write-output.js';
import { failureOf, parseOptions, refusePositionals, UsageError } from './command-line.js';
import { verifyModels } from './verify-models.js';

const USAGE = `Usage: npm run --silent models -- verify [DIR]

Checks a folder of models (by default MODEL_DIR) against the model contract and the grid of DATA_DIR, for every species
at every grid point, and measures the time per row on this machine.

Exit code 0: the models may be served; 1: they must not, and the report says why; 2: invalid command line.
`;

/** Runs `models verify [DIR]`, which reports to standard output. @returns the exit code */
async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, { help: { type: 'boolean' } });
  if (values.help) {
    writeOutput(USAGE);
    return 0;
  }
  const [command, dir, ...rest] = positionals;
  if (command !== 'verify') {
    const given = command === undefined ? 'no command was given' : `${quote(command)} is not a command`;
    throw new UsageError(`${given}; the command is verify`);
  }
  refusePositionals(rest);
  const config = loadConfig(process.env);
  return verifyModels(config.dataDir, dir ?? config.modelDir, (line) =>
    writeOutput(`${oneLine(redactKeys(line))}\n`),
  );
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { exitCode, stderr } = failureOf('models', error);
  writeError(stderr);
  process.exitCode = exitCode;
}
