import { batch, computed, effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callJson, USAGE } from '../api/service.js';
import type { Coverage, ServedModel, Species, SpeciesList, Usage } from '../api/types.js';
import {
  conditions,
  DEFAULT_SPECIES,
  measurableOf,
  practice,
  practiceOf,
  species,
  unusedChoices,
} from './choices.js';
import { servedDigest, servedVersion } from './connection.js';
import { key } from './key.js';
import { changeSettings, settings } from './plan-settings.js';

interface Catalogues {
  readonly species: readonly Species[];
  readonly coverage: Coverage;
  readonly model: ServedModel;
}

/** What identifies models, and what their figures are based on. */
export type ModelOrigin = Pick<ServedModel, 'version' | 'digest' | 'outcomes' | 'caution'>;

/** Species, coverage and models of the service; null until they are loaded with an accepted key. */
export const catalogues = signal<Catalogues | null>(null);
/** The key's tier and today's count of requests, as last loaded. */
export const usage = signal<Usage | null>(null);

/** The models that answer; undefined until the catalogues are loaded. */
export function servedOrigin(): ModelOrigin | undefined {
  const model = catalogues.value?.model;
  if (model === undefined) return undefined;
  const { version, digest, outcomes, caution } = model;
  return { version, digest, outcomes, caution };
}

/** Whether the models have intervals; assumed until the catalogues are loaded. */
export const hasIntervals = () => catalogues.value?.model.interval_level !== null;

/** Whether the service has loaded other models since the catalogues were loaded. */
export const areOutdated = computed(() => {
  if (catalogues.value === null) return false;
  const { version, digest } = catalogues.value.model;
  return servedVersion.value !== version || servedDigest.value !== digest;
});

/** The key with which the catalogues were loaded. */
let loadedWith: string | null = null;

/** Loads catalogues and usage if they are missing, of another key, or of other models. @throws NurselogError */
export async function loadCatalogues(signal: AbortSignal): Promise<void> {
  const secret = key.peek();
  if (loadedWith !== secret) usage.value = null;
  if (loadedWith !== secret || areOutdated.peek()) {
    await loadLists(signal);
    loadedWith = secret;
  }
  if (usage.peek() === null) await loadUsage(signal);
}

/** Removes choices that the models do not know, such as those of an old link, now and after each change. */
export function dropUnknownChoices(): void {
  effect(() => {
    if (catalogues.value === null) return;
    const { species: list, model } = catalogues.value;
    const unused: string[] = [];
    const codes = list.map(({ species_code }) => species_code);
    if (!codes.includes(species.value)) {
      unused.push(`species=${species.value}`);
      species.value = codes.find((code) => code === DEFAULT_SPECIES) ?? codes[0] ?? species.value;
    }
    const { species: asked } = settings.value;
    const lacking = typeof asked === 'string' ? [] : asked.filter((code) => !codes.includes(code));
    if (typeof asked !== 'string' && lacking.length > 0) {
      unused.push(...lacking.map((code) => `settings.species=${code}`));
      changeSettings({ species: asked.filter((code) => codes.includes(code)) });
    }
    for (const [prefix, choice, features] of [
      ['practice', practice, practiceOf(model.features)],
      ['measured', conditions, measurableOf(model.features)],
    ] as const) {
      const isKnown = ([name, value]: [string, number]) =>
        features.some(
          ({ feature, minimum, maximum }) => feature === name && value >= minimum && value <= maximum,
        );
      const chosen = Object.entries(choice.value);
      const unknown = chosen.filter((entry) => !isKnown(entry));
      if (unknown.length > 0) choice.value = Object.fromEntries(chosen.filter(isKnown));
      unused.push(...unknown.map(([name, value]) => `${prefix}.${name}=${value}`));
    }
    if (unused.length > 0) unusedChoices.value = [...unusedChoices.peek(), ...unused];
  });
}

/** Loads the key's tier and today's count of requests. @throws NurselogError */
async function loadUsage(signal: AbortSignal): Promise<void> {
  usage.value = await callJson<Usage>(USAGE, { signal });
}

/**
 * The key's tier and today's count of requests, loaded when a panel is opened.
 * @param isSpending true while requests are sent; the count is loaded again when they end
 */
export function useUsage(isSpending = false): Usage | null {
  useEffect(() => {
    if (isSpending) return undefined;
    const controller = new AbortController();
    loadUsage(controller.signal).catch(() => undefined); // the banner shows failures
    return () => controller.abort();
  }, [isSpending]);
  return usage.value;
}

async function loadLists(signal: AbortSignal): Promise<void> {
  const [list, coverage, model] = await Promise.all([
    callJson<SpeciesList>('/v1/species', { signal }),
    callJson<Coverage>('/v1/coverage', { signal }),
    callJson<ServedModel>('/v1/model', { signal }),
  ]);
  batch(() => {
    catalogues.value = { species: list.species, coverage, model };
    servedVersion.value = model.version;
    servedDigest.value = model.digest;
  });
}

/** The common name of a species; its code where it is not known. */
export function speciesName(code: string): string {
  return catalogues.value?.species.find(({ species_code }) => species_code === code)?.common_name ?? code;
}
