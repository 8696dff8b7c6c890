import { parseArgs } from 'node:util';
import { loadConfig } from '../config.js';
import { verifyModels } from './verify-models.js';

const USAGE = `usage: npm run --silent models -- verify [DIR]

Checks a folder of models (by default MODEL_DIR) against the contract and the grid of DATA_DIR: every species at every
grid point. Exit code 0: they may be served; 1: not, and the report says why; 2: not called rightly.
`;

/** `models verify [DIR]`: the report goes to standard output. @returns the exit code */
async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean' } },
  });
  const [command, dir, ...rest] = positionals;
  if (values.help || command !== 'verify' || rest.length > 0) {
    process[values.help ? 'stdout' : 'stderr'].write(USAGE);
    return values.help ? 0 : 2;
  }
  const config = loadConfig(process.env);
  return verifyModels(config.dataDir, dir ?? config.modelDir, (line) => process.stdout.write(`${line}\n`));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`models: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
