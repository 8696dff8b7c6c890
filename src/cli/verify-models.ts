import { ArtefactError } from '../prediction/artefacts/artefact-error.js';
import { readArtefacts } from '../prediction/artefacts/artefacts.js';
import type { SharedGrid } from '../prediction/artefacts/shared-grid.js';
import { PLANTING_METHODS } from '../prediction/dimensions.js';
import { checkModel, type Probe } from '../prediction/model/model-contract.js';
import { SurvivalModel } from '../prediction/model/survival-model.js';

/** Rows of one run of a model: bounds memory. */
const ROWS_PER_RUN = 2000;

/**
 * Checks models against the contract and the grid, measures them, and reports each step.
 * @returns the exit code: 0 if they may be served
 */
export async function verifyModels(
  dataDir: string,
  modelDir: string,
  report: (line: string) => void,
): Promise<number> {
  try {
    const { manifest, grid, species, modelFiles } = readArtefacts(dataDir, modelDir);
    report(`models  ${manifest.version} (series ${manifest.series}) in ${modelDir}`);
    report(`grid    ${grid.version}: ${grid.pointCount} points, coverage ${grid.coverage}`);
    report(`ok      manifest: ${manifest.features.length} features are columns of the grid in its units`);
    report(`ok      manifest: ${species.length} species are those of species.json in its order`);
    report('ok      model files: present, SHA-256 as in the manifest');
    for (const [index, method] of PLANTING_METHODS.entries()) {
      const model = await SurvivalModel.open(modelFiles[index], manifest);
      let durationMs = 0;
      for (const probe of everySpeciesEverywhere(grid, species.length))
        durationMs += await checkModel(model, grid, probe);
      const rows = grid.pointCount * species.length;
      report(
        `ok      ${method}: finite, within 0 to 1, never rising, baseline + contributions = survival (${rows.toLocaleString('en')} rows)`,
      );
      const usPerRow = (1000 * durationMs) / rows;
      report(
        `time    ${method}: ${usPerRow.toPrecision(2)} us per row, measured on this machine in runs of ${ROWS_PER_RUN} rows with one thread`,
      );
    }
    report('The models may be served.');
    return 0;
  } catch (error) {
    if (!(error instanceof ArtefactError)) throw error;
    report(`FAILED  ${error.message}`);
    report('The models must not be served.');
    return 1;
  }
}

/** Probes that together contain every species at every point. */
function* everySpeciesEverywhere(grid: SharedGrid, speciesCount: number): Generator<Probe> {
  for (let species = 0; species < speciesCount; species++) {
    for (let first = 0; first < grid.pointCount; first += ROWS_PER_RUN) {
      const count = Math.min(ROWS_PER_RUN, grid.pointCount - first);
      yield {
        points: Int32Array.from({ length: count }, (_, i) => first + i),
        species: new Uint8Array(count).fill(species),
      };
    }
  }
}
