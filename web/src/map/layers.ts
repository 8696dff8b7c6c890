import { NurselogError } from '@nurselog/client/nurselog-error';
import Papa from 'papaparse';
import { call } from '../api/service.js';
import type { Horizon, Method, Species, Surface } from '../api/types.js';
import { METHOD_NAMES, percent, pointsText, years } from '../page/format.js';
import { hasIntervals } from '../state/catalogues.js';
import {
  type Assumptions,
  addAssumptions,
  assumptions,
  LAYERS,
  type Layer,
  layer,
} from '../state/choices.js';
import type { PaintedCells } from './cell-layer.js';
import { Cells } from './cells.js';
import { advantageScale, changeScale, classScale, survivalScale, widthScale } from './colours.js';
import { type Bounds, loadSurface } from './surfaces.js';

/** The layers that can be shown with these models in the chosen climate. */
export const offeredLayers = () =>
  LAYERS.filter(
    (name) => (name !== 'width' || hasIntervals()) && (name !== 'change' || isChanged(assumptions())),
  );

/** Whether a climate other than today's is asked for. */
const isChanged = ({ warming_c, precipitation_change_percent }: Assumptions) =>
  warming_c !== undefined || precipitation_change_percent !== undefined;

/** The chosen layer; survival where it is not offered. */
export const shownLayerName = (): Layer => offeredLayers().find((name) => name === layer.value) ?? 'survival';

/** What the map is to show. */
export interface LayerQuestion {
  readonly layer: Layer;
  readonly species: string;
  readonly method: Method;
  readonly horizon: Horizon;
  readonly bounds: Bounds | null;
  readonly assumed: Assumptions;
}

/** Painted cells that can say what is under the pointer. */
export interface ShownLayer extends PaintedCells {
  readonly question: LayerQuestion;
  readonly surface: Surface;
  describe(index: number): string;
}

/** Most points of a surface; fewer where intervals are computed, and where all species are loaded. */
const MAX_POINTS = 20_000;
const MAX_WIDTH_POINTS = 4000;
const MAX_BEST_POINTS = 4000;
/** Species that are loaded at the same time. */
const CONCURRENCY = 4;

/** @param allSpecies for the layer of the best native species @throws NurselogError */
export async function loadLayer(
  question: LayerQuestion,
  allSpecies: readonly Species[],
  signal: AbortSignal,
): Promise<ShownLayer> {
  return { ...(await answerTo(question, allSpecies, signal)), question };
}

type Answer = Omit<ShownLayer, 'question'>;

function answerTo(
  question: LayerQuestion,
  allSpecies: readonly Species[],
  signal: AbortSignal,
): Promise<Answer> {
  switch (question.layer) {
    case 'survival':
      return survivalLayer(question, signal);
    case 'change':
      return changeLayer(question, signal);
    case 'advantage':
      return advantageLayer(question, signal);
    case 'width':
      return widthLayer(question, signal);
    case 'best':
      return bestLayer(question, allSpecies, signal);
  }
}

const cellsOf = ({ longitude, latitude, spacing_km }: Surface) => new Cells(longitude, latitude, spacing_km);
const survivalOf = (surface: Surface, method: Method, horizon: Horizon) =>
  surface.survival[method][`${horizon}`];

async function survivalLayer(question: LayerQuestion, signal: AbortSignal): Promise<Answer> {
  const { method, horizon } = question;
  const surface = await loadSurface({ ...question, maxPoints: MAX_POINTS }, signal);
  const values = Float32Array.from(survivalOf(surface, method, horizon));
  return {
    surface,
    cells: cellsOf(surface),
    values,
    isPale: surface.in_native_range.map((isNative) => !isNative),
    scale: survivalScale(`${METHOD_NAMES[method]}: survival after ${years(horizon)}`),
    describe: (index) => `${percent(values[index])} alive after ${years(horizon)}`,
  };
}

/** The end of a scale that is symmetric about 0: the largest difference, in steps of 0.1. */
const extentOf = (values: Float32Array) =>
  Math.max(0.1, Math.ceil(values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) * 10) / 10);

/** Survival in the chosen climate minus that of today, with the same practice. */
async function changeLayer(question: LayerQuestion, signal: AbortSignal): Promise<Answer> {
  const { method, horizon, assumed } = question;
  const { warming_c: _, precipitation_change_percent: __, ...practice } = assumed;
  const [then, today] = await Promise.all(
    [assumed, practice].map((each) =>
      loadSurface({ ...question, assumed: each, maxPoints: MAX_POINTS }, signal),
    ),
  );
  const before = survivalOf(today, method, horizon);
  const after = survivalOf(then, method, horizon);
  const values = Float32Array.from(after, (value, index) => value - before[index]);
  return {
    surface: then,
    cells: cellsOf(then),
    values,
    isPale: then.in_native_range.map((isNative) => !isNative),
    scale: changeScale('Survival minus that of today, percentage points', extentOf(values)),
    describe: (index) =>
      [
        `${percent(after[index])} alive after ${years(horizon)}`,
        `${pointsText(values[index])} points against today`,
      ].join(', '),
  };
}

async function advantageLayer(question: LayerQuestion, signal: AbortSignal): Promise<Answer> {
  const { horizon } = question;
  const surface = await loadSurface({ ...question, maxPoints: MAX_POINTS }, signal);
  const drone = survivalOf(surface, 'drone_seeded', horizon);
  const values = Float32Array.from(
    survivalOf(surface, 'manual', horizon).map((manual, index) => manual - drone[index]),
  );
  return {
    surface,
    cells: cellsOf(surface),
    values,
    isPale: surface.in_native_range.map((isNative) => !isNative),
    scale: advantageScale(
      `Hand planting minus drone seeding after ${years(horizon)}, points`,
      extentOf(values),
    ),
    describe: (index) => `Hand planting ${pointsText(values[index])} points against drone seeding`,
  };
}

async function widthLayer(question: LayerQuestion, signal: AbortSignal): Promise<Answer> {
  const { species, method, horizon, assumed } = question;
  const surface = await loadSurface({ ...question, maxPoints: MAX_WIDTH_POINTS }, signal);
  const query = new URLSearchParams({ horizons: String(horizon), include: 'intervals' });
  addAssumptions(query, assumed);
  const rows = surface.latitude.map((latitude, index) => [
    latitude,
    surface.longitude[index],
    species,
    method,
  ]);
  const fields = ['latitude', 'longitude', 'species_code', 'planting_method'];
  const response = await call(`/v1/predict/table?${query}`, {
    body: Papa.unparse({ fields, data: rows }),
    headers: { 'Content-Type': 'text/csv', Accept: 'text/csv' },
    signal,
  }).catch((error: unknown) => {
    if (!(error instanceof NurselogError) || error.code !== 'batch_too_large') throw error;
    throw new Error(
      'Intervals on the map need a key of a higher tier: this key may not ask for so many points.',
    );
  });
  const { data } = Papa.parse<Record<string, string>>(await response.text(), {
    header: true,
    skipEmptyLines: true,
  });
  const bound = (row: Record<string, string>, name: string) =>
    Number(row[`${name}_${horizon}`] || Number.NaN);
  const values = Float32Array.from(data.map((row) => bound(row, 'high') - bound(row, 'low')));
  return {
    surface,
    cells: cellsOf(surface),
    values,
    isPale: surface.in_native_range.map((isNative) => !isNative),
    scale: widthScale('Width of the 80 % interval, percentage points'),
    describe: (index) => {
      const row = data[index];
      return row === undefined
        ? ''
        : `8 of 10 plantings: ${percent(bound(row, 'low'))} to ${percent(bound(row, 'high'))}`;
    },
  };
}

async function bestLayer(
  question: LayerQuestion,
  allSpecies: readonly Species[],
  signal: AbortSignal,
): Promise<Answer> {
  const { method, horizon } = question;
  const waiting = [...allSpecies];
  const surfaces = new Map<Species, Surface>();
  const loadNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const asked = { ...question, species: next.species_code, maxPoints: MAX_BEST_POINTS };
      surfaces.set(next, await loadSurface(asked, signal));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, loadNext));
  const [surface] = surfaces.values();
  if (surface === undefined) throw new Error('The service has no species.');
  // By point: the native species with the highest survival.
  const best: (Species | undefined)[] = surface.latitude.map(() => undefined);
  const survival = new Float32Array(surface.points).fill(-1);
  for (const each of allSpecies) {
    const own = surfaces.get(each)!;
    const values = survivalOf(own, method, horizon);
    for (let index = 0; index < own.points; index++) {
      if (own.in_native_range[index] && values[index] > survival[index]) {
        survival[index] = values[index];
        best[index] = each;
      }
    }
  }
  const counts = new Map<Species, number>();
  for (const each of best) if (each !== undefined) counts.set(each, (counts.get(each) ?? 0) + 1);
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([each]) => each);
  const classOf = new Map(byCount.map((each, index) => [each, index]));
  return {
    surface,
    cells: cellsOf(surface),
    values: Float32Array.from(best, (each) => (each === undefined ? Number.NaN : classOf.get(each)!)),
    isPale: best.map(() => false),
    scale: classScale(
      `Native species with the highest survival after ${years(horizon)}, ${METHOD_NAMES[method].toLowerCase()}`,
      byCount.map(({ common_name }) => common_name),
    ),
    describe: (index) => {
      const each = best[index];
      return each === undefined
        ? 'No species is native here'
        : `${each.common_name}: ${percent(survival[index])} alive after ${years(horizon)}`;
    },
  };
}
