import { parseArgs } from 'node:util';
import { UsageError } from '../src/cli/command-line.js';
import { Environment } from './environment.js';
import { type Row, table } from './report.js';
import { checkBuild, runCommand } from './run-command.js';
import { against } from './scopes/against.js';
import { cells } from './scopes/cells.js';
import { client } from './scopes/client.js';
import { compression } from './scopes/compression.js';
import { fair } from './scopes/fair.js';
import { memory } from './scopes/memory.js';
import { options } from './scopes/options.js';
import { peer } from './scopes/peer.js';
import { pieces } from './scopes/pieces.js';
import { plan } from './scopes/plan.js';
import { rank } from './scopes/rank.js';
import { replicas } from './scopes/replicas.js';
import { scale } from './scopes/scale.js';
import { surface } from './scopes/surface.js';
import { table as tables } from './scopes/table.js';
import { batch, batchRepeat, compare, naive, single } from './scopes/throughput.js';

/** The scopes, in the order in which they run. Scopes that compare with the ceiling measure it themselves. */
const SCOPES: Readonly<Record<string, (environment: Environment) => Promise<Row[]>>> = {
  batch,
  'batch-repeat': batchRepeat,
  options,
  single,
  compare,
  rank,
  plan,
  surface,
  table: tables,
  fair,
  naive,
  peer,
  compression,
  scale,
  memory,
  pieces,
  client,
  replicas,
  cells,
};

const USAGE = `Usage: npm run bench -- [--scope NAME] [--against DIR] [--json]

Starts nurselog and what it is compared with on free ports of this machine and measures them in turn.
Scopes: ${Object.keys(SCOPES).join(', ')}; all of them by default.
--against DIR compares this build with that of another checkout, which must be built, and runs only the scopes named.
Figures are medians (minimum..maximum) of the rounds.
`;

async function main(): Promise<0 | 1> {
  const { values } = parseArgs({
    options: {
      scope: { type: 'string', multiple: true },
      against: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const unknown = values.scope?.find((name) => !Object.hasOwn(SCOPES, name));
  if (unknown !== undefined) throw new UsageError(`unknown scope ${unknown}`);
  if (values.against !== undefined) checkBuild(values.against);
  const startMs = performance.now();
  const environment = new Environment((text) => process.stderr.write(`  ${text}\n`));
  const rows: Row[] = [];
  try {
    const scopes = values.scope ?? (values.against === undefined ? Object.keys(SCOPES) : []);
    if (values.against !== undefined) rows.push(...(await against(environment, values.against)));
    for (const name of scopes) rows.push(...(await SCOPES[name](environment)));
  } finally {
    await environment.close();
    // Also reports the measurements before a scope failed.
    const seconds = Math.round((performance.now() - startMs) / 1000);
    process.stderr.write(`  done in ${seconds} s\n\n`);
    process.stdout.write(
      values.json ? `${JSON.stringify({ seconds, rows }, null, 2)}\n` : `${table(rows)}\n`,
    );
  }
  return 0;
}

await runCommand('bench', USAGE, main);
