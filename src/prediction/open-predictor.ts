import { checkIntervals, intervalProbe } from './intervals/interval-contract.js';
import { IntervalModel } from './intervals/interval-model.js';
import { checkModel, startProbe } from './model/model-contract.js';
import { SurvivalModel } from './model/survival-model.js';
import { Predictor, type PredictorData } from './predictor.js';

/**
 * Opens the models and checks them on a probe of the grid.
 * @throws ArtefactError where a model cannot be loaded or breaks the contract
 */
export async function openPredictor(data: PredictorData): Promise<Predictor> {
  const predictor = await openUntried(data);
  const probe = startProbe(data.grid, data.species.length);
  for (const model of predictor.models) await checkModel(model, data.grid, probe);
  for (const model of predictor.intervalModels) await checkIntervals(model, intervalProbe(data, probe));
  return predictor;
}

/**
 * Opens models that another thread checks: running slow ones on a probe would block this thread.
 * @throws ArtefactError where a model cannot be loaded
 */
export async function openUntried(data: PredictorData): Promise<Predictor> {
  const models = [];
  for (const file of data.modelFiles) models.push(await SurvivalModel.open(file, data.manifest));
  const intervalModels = [];
  for (const file of data.intervalFiles) intervalModels.push(await IntervalModel.open(file, data.manifest));
  return new Predictor(data, models, intervalModels);
}
