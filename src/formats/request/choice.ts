import type { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { PLANTING_METHODS, type PlantingMethod } from '../../prediction/dimensions.js';
import type { ErrorObject } from '../errors/api-error.js';
import { unknownMethod, unknownSpecies } from './request-errors.js';
import type { PlanRequest, RankRequest } from './schemas.js';

/** The species and methods that a request chooses, at least one each. */
export interface Choice {
  /** Indexes into the species list, by code. */
  readonly species: readonly number[];
  /** Indexes into PLANTING_METHODS, ascending. */
  readonly methods: readonly number[];
  /** Whether species are left out whose native range does not hold the place. */
  readonly nativeOnly: boolean;
}

/** Reads a choice without repeats: all species and methods if a request names none. @returns it, or its error */
export function readChoice(
  { species_codes, planting_methods, native_only: nativeOnly = true }: PlanRequest | RankRequest,
  catalogue: SpeciesCatalogue,
): Choice | ErrorObject {
  const codes = species_codes ?? catalogue.list.map(({ species_code }) => species_code);
  const unknown = codes.find((code) => catalogue.indexOf(code) === -1);
  if (unknown !== undefined) return unknownSpecies(unknown, catalogue);
  const names: readonly unknown[] = planting_methods ?? PLANTING_METHODS;
  const methods = names.map((name) => PLANTING_METHODS.indexOf(name as PlantingMethod));
  if (methods.includes(-1)) return unknownMethod('each of planting_methods', names[methods.indexOf(-1)]);
  const species = [...new Set(codes)].sort().map((code) => catalogue.indexOf(code));
  return { species, methods: [...new Set(methods)].sort(), nativeOnly };
}
