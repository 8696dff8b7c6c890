import { checkModel, startProbe } from './model-contract.js';
import { PLANTING_METHODS } from './planting-method.js';
import { Predictor, type PredictorData } from './predictor.js';
import { SurvivalModel } from './survival-model.js';

/**
 * Opens the models and tries them on a probe of the grid.
 * @throws ArtefactError when a model cannot be loaded or breaks the contract.
 */
export async function openPredictor(data: PredictorData): Promise<Predictor> {
  const models = [];
  for (const method of PLANTING_METHODS) {
    const model = await SurvivalModel.open(data.modelDir, data.manifest, method);
    await checkModel(model, data.grid, startProbe(data.grid, data.species.length));
    models.push(model);
  }
  return new Predictor(data, models);
}
