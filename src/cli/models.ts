import path from 'node:path';
import { loadConfig } from '../config.js';
import { oneLine, redactKeys } from '../output/printable.js';
import { writeOutput } from '../output/write-output.js';
import { ArtefactError } from '../prediction/artefacts/artefact-file.js';
import { type Artefacts, identityOf, readArtefacts } from '../prediction/artefacts/artefacts.js';
import { isPractice } from '../prediction/artefacts/manifest.js';
import { PLANTING_METHODS } from '../prediction/dimensions.js';
import { openIntervalModel, openSurvivalModel } from '../prediction/model/model-session.js';
import { checkIntervals, checkModel, type Probe } from '../prediction/open-predictor.js';
import { parseOptions, refuseCommand, refusePositionals, runMain } from './command-line.js';

const USAGE = `Usage: npm run --silent models -- verify [DIR]

Checks a folder of models (by default MODEL_DIR) against the model contract and the grid of DATA_DIR, for every species
at every grid point, and measures the time per row on this machine.

Exit codes: 0 if the models may be served; 1 if not (the report says why); 2 for an invalid command line.
`;

/** Rows of one run of a model: bounds memory. */
const ROWS_PER_RUN = 2000;

/** Interval graphs are checked at every nth point, n = INTERVAL_STEP: they compute many times as much as models. */
const INTERVAL_STEP = 20;

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseOptions(args, { help: { type: 'boolean', short: 'h' } });
  if (values.help) return writeOutput(USAGE);
  const [command, dir, ...rest] = positionals;
  if (command !== 'verify') refuseCommand(command, 'command is verify');
  refusePositionals(rest);
  const config = loadConfig(process.env);
  await verifyModels(config.dataDir, dir ?? config.modelDir);
}

function report(line: string): void {
  writeOutput(`${oneLine(redactKeys(line))}\n`);
}

/** Checks models against the contract and the grid, measures them and reports each step. A failure sets exit code 1. */
async function verifyModels(dataDir: string, modelDir: string): Promise<void> {
  try {
    const artefacts = readArtefacts(dataDir, modelDir);
    const { manifest, grid, species, modelFiles, intervalFiles } = artefacts;
    report(`models  ${manifest.version} (series ${manifest.series}) in ${modelDir}`);
    report(`grid    ${grid.version}: ${grid.pointCount} points, coverage ${grid.coverage}`);
    report(`digests ${identityOf(artefacts)}`);
    const practice = manifest.features.filter(isPractice);
    const columns = manifest.features.length - practice.length;
    report(
      `ok      manifest: ${columns} features match columns and units of the grid, ${practice.length} describe practice`,
    );
    report(`ok      manifest: ${species.length} species match species.json, in order`);
    report('ok      model files: present, SHA-256 matches the manifest');
    for (const [index, method] of PLANTING_METHODS.entries()) {
      const model = await openSurvivalModel(modelFiles[index], manifest);
      const { rows, usPerRow } = await measure(artefacts, 1, (probe) => checkModel(model, artefacts, probe));
      report(
        `ok      ${method}: finite, from 0 to 1, never increasing, baseline + contributions = survival (${rows} rows)`,
      );
      report(
        `time    ${method}: ${usPerRow} us per row, measured on this machine in runs of ${ROWS_PER_RUN} rows with one thread`,
      );
    }
    for (const file of intervalFiles) {
      const model = await openIntervalModel(file, manifest);
      const { rows, usPerRow } = await measure(artefacts, INTERVAL_STEP, (probe) =>
        checkIntervals(model, artefacts, probe),
      );
      report(
        `ok      ${path.basename(file.path)}: from 0 to 1, no draw increasing (${rows} rows, ${usPerRow} us each)`,
      );
    }
    report('The models may be served.');
  } catch (error) {
    if (!(error instanceof ArtefactError)) throw error;
    report(`FAILED  ${error.message}`);
    report('The models must not be served.');
    process.exitCode = 1;
  }
}

/**
 * Checks every species at every grid point, or at every nth, n = `step`. @param check returns its duration in ms
 * @returns the number of rows and the time of each, as text
 */
async function measure({ grid, species }: Artefacts, step: number, check: (probe: Probe) => Promise<number>) {
  const pointsPerRun = ROWS_PER_RUN * step;
  let [rows, durationMs] = [0, 0];
  for (const index of species.keys()) {
    for (let first = 0; first < grid.pointCount; first += pointsPerRun) {
      const count = Math.ceil(Math.min(pointsPerRun, grid.pointCount - first) / step);
      const points = Int32Array.from({ length: count }, (_, i) => first + i * step);
      durationMs += await check({ points, species: new Uint8Array(count).fill(index) });
      rows += count;
    }
  }
  return { rows: rows.toLocaleString('en'), usPerRow: ((1000 * durationMs) / rows).toPrecision(2) };
}

await runMain('models', main);
