import path from 'node:path';
import { z } from 'zod';
import { HORIZONS } from '../horizon.js';
import { MAX_FEATURES } from '../model/prediction-numbers.js';
import { PLANTING_METHODS } from '../planting-method.js';
import { type ArtefactFile, readCheckedFile } from './artefact-file.js';
import { parseJsonFile } from './json-file.js';

const featureSchema = z.object({
  /** Name of the grid variable. */
  name: z.string().min(1),
  unit: z.string(),
  /** The factor's name in answers. */
  label: z.string().min(1),
  /** Whether it may appear as a risk factor. */
  risk_factor: z.boolean(),
});

const methodSchema = z.object({ file: z.string().min(1), sha256: z.string().regex(/^[0-9a-f]{64}$/) });

const manifestSchema = z
  .object({
    format: z.literal('nurselog-model/1'),
    version: z.string().min(1),
    codename: z.string().min(1),
    series: z.string().min(1),
    coverage: z.string().min(1),
    horizons: z.array(z.number()).refine((years) => String(years) === String(HORIZONS), {
      message: `must be ${HORIZONS.join(', ')}`,
    }),
    species: z.array(z.string()).min(1),
    features: z.array(featureSchema).min(1).max(MAX_FEATURES),
    methods: z.record(z.enum(PLANTING_METHODS), methodSchema),
  })
  .superRefine((manifest, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const { coverage, codename, version, features } = manifest;
    const [prefix, suffix] = [`${coverage}_v`, `_${codename}`];
    const number = version.slice(prefix.length, version.length - suffix.length);
    if (!version.startsWith(prefix) || !version.endsWith(suffix) || !/^\d+_\d+$/.test(number)) {
      complain('version', `"${version}" is not ${coverage}_v<major>_<minor>_${codename}`);
    }
    for (const key of ['name', 'label'] as const) {
      const values = features.map((feature) => feature[key]);
      const repeated = values.find((value, index) => values.indexOf(value) !== index);
      if (repeated !== undefined) complain('features', `${key} "${repeated}" appears twice`);
    }
    if (features.filter(({ risk_factor }) => risk_factor).length < 3) {
      complain('features', 'fewer than 3 features may be risk factors');
    }
  });

/** What a directory of models says of itself: version, features, species and the file of each planting method. */
export type Manifest = z.output<typeof manifestSchema>;

/** The model as answers tell it. */
export function modelOf({ version, codename, series }: Manifest) {
  return { version, codename, series };
}

export const MANIFEST_FILE = 'manifest.json';

/** Parses the manifest of a model directory. @throws ArtefactError naming the file. */
export function parseManifest(file: ArtefactFile): Manifest {
  return parseJsonFile(file, manifestSchema);
}

/** A model file as it was read: workers that start later have the same, whatever its folder holds by then. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads the model files, in the order of PLANTING_METHODS.
 * @throws ArtefactError naming the first that is missing or is not the one the manifest describes.
 */
export function readModelFiles(modelDir: string, manifest: Manifest): ModelFile[] {
  return PLANTING_METHODS.map((method) => {
    const { file, sha256 } = manifest.methods[method];
    return readCheckedFile(path.join(modelDir, file), sha256, MANIFEST_FILE);
  });
}
