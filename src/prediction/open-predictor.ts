import { checkModel, startProbe } from './model-contract.js';
import { Predictor, type PredictorData } from './predictor.js';
import { SurvivalModel } from './survival-model.js';

/**
 * Opens the models and tries them on a probe of the grid.
 * @throws ArtefactError when a model cannot be loaded or breaks the contract.
 */
export async function openPredictor(data: PredictorData): Promise<Predictor> {
  const models = [];
  for (const file of data.modelFiles) {
    const model = await SurvivalModel.open(file, data.manifest);
    await checkModel(model, data.grid, startProbe(data.grid, data.species.length));
    models.push(model);
  }
  return new Predictor(data, models);
}
