import editDistance from 'damerau-levenshtein';
import { z } from 'zod';
import { ArtefactError, type ArtefactFile, parseJsonFile } from './artefact-file.js';

const text = z.string().min(1);

export const speciesSchema = z.object({
  species_code: text.meta({ description: 'Code to use in requests, matched exactly.', examples: ['PSME'] }),
  common_name: text.meta({ examples: ['Douglas-fir'] }),
  scientific_name: text.meta({ examples: ['Pseudotsuga menziesii'] }),
  group: z.enum(['conifer', 'hardwood']),
});

export type Species = z.output<typeof speciesSchema>;

/** A native range is a bit of a uint32: the grid's column native_ranges. */
const MAX_SPECIES = 32;

/** Parses the species list. @throws ArtefactError naming the file */
export function parseSpecies(file: ArtefactFile): Species[] {
  const species = parseJsonFile(file, z.array(speciesSchema).min(1).max(MAX_SPECIES));
  const codes = species.map(({ species_code }) => species_code);
  const repeated = codes.find((code, index) => codes.indexOf(code) !== index);
  if (repeated !== undefined) throw new ArtefactError(file.path, `has ${repeated} twice`);
  return species;
}

/** Edits between a proposed code and the text; a transposition is one edit. */
const MAX_EDITS = 2;
/** Longer texts are not compared with codes. */
const MAX_TYPO_LENGTH = 8;

export type SpeciesCatalogue = ReturnType<typeof speciesCatalogue>;

/** The species by code, name and index. @param list in the order of the models: an index is their species input */
export function speciesCatalogue(list: readonly Species[]) {
  const indexes = new Map(list.map(({ species_code }, index) => [species_code, index]));
  const names = list.map((each) => [plain(each.common_name), plain(each.scientific_name)]);
  return {
    list,
    /** The index of the species with exactly this code, or -1. */
    indexOf: (code: string) => indexes.get(code) ?? -1,
    /** The species that a caller most likely meant: of that name, or with the code that is the fewest edits away. */
    closest(text: string): Species | undefined {
      const name = plain(text.slice(0, 100));
      const named = list.findLast((_, index) => names[index].includes(name));
      if (named !== undefined || text.length > MAX_TYPO_LENGTH) return named;
      const code = text.toUpperCase();
      const edits = list.map(({ species_code }) => editDistance(code, species_code).steps);
      const fewest = Math.min(...edits);
      return fewest <= MAX_EDITS ? list[edits.indexOf(fewest)] : undefined;
    },
  };
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}
