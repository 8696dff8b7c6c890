import path from 'node:path';
import { z } from 'zod';
import { HORIZONS, PLANTING_METHODS, RISK_FACTOR_COUNT } from '../dimensions.js';
import { type ArtefactFile, parseJsonFile, readCheckedFile } from './artefact-file.js';

/** A reported risk factor is a uint16: the feature's index and the sign of its contribution. */
const MAX_FEATURES = 2 ** 15;

const featureSchema = z.object({
  /** Name of the grid variable. */
  name: z.string().min(1),
  unit: z.string(),
  /** Bounds of the values that the models were built for, in the unit; the bounds of the grid's column lie within. */
  minimum: z.number().optional(),
  maximum: z.number().optional(),
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
    if (features.filter(({ risk_factor }) => risk_factor).length < RISK_FACTOR_COUNT) {
      complain('features', `fewer than ${RISK_FACTOR_COUNT} features may be risk factors`);
    }
  });

/** The description of a directory of models: version, features, species and the file of each planting method. */
export type Manifest = z.output<typeof manifestSchema>;

/** The model as answers and reports name it. */
export function modelOf({ version, codename, series }: Manifest) {
  return { version, codename, series };
}

export const MANIFEST_FILE = 'manifest.json';

/** Parses the manifest of a model directory. @throws ArtefactError naming the file */
export function parseManifest(file: ArtefactFile): Manifest {
  return parseJsonFile(file, manifestSchema);
}

/** A model file as it was read: workers that start later open the same bytes, even if the file was replaced since. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads the model files, in the order of PLANTING_METHODS.
 * @throws ArtefactError naming the first that is missing or does not have the manifest's SHA-256
 */
export function readModelFiles(modelDir: string, manifest: Manifest): ModelFile[] {
  return PLANTING_METHODS.map((method) => {
    const { file, sha256 } = manifest.methods[method];
    return readCheckedFile(path.join(modelDir, file), sha256, MANIFEST_FILE);
  });
}
