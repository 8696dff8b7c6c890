import { redactKeys } from '../accounts/key-format.js';
import { loadConfig } from '../config.js';
import { oneLine, quote } from '../output/printable.js';
import { writeError, writeOutput } from '../output/write-output.js';
import { failureOf } from './failure.js';
import { parseOptions } from './parse-options.js';
import { UsageError } from './usage-error.js';
import { verifyModels } from './verify-models.js';

const USAGE = `usage: npm run --silent models -- verify [DIR]

Checks a folder of models (by default MODEL_DIR) against the contract and the grid of DATA_DIR: every species at every
grid point. Exit code 0: they may be served; 1: not, and the report says why; 2: not called rightly.
`;

/** `models verify [DIR]`: the report goes to standard output. @returns the exit code */
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
  if (rest.length > 0) throw new UsageError(`${quote(rest[0])} is one argument too many`);
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
