import type { Feature, FeatureCollection, MultiPolygon, Polygon } from 'geojson';
import { readWork, WORK_VERSION, type Work } from '../state/work.js';
import { checkSize, FileError } from './file-error.js';

/** A project: GeoJSON of the units, which any GIS opens, with all else in the member `nurselog`. */
interface ProjectFile extends FeatureCollection<Polygon | MultiPolygon> {
  readonly nurselog: Omit<Work, 'units'>;
}

/** More than other files may have, because the JSON of a project repeats the names of columns in every row. */
export const MAX_PROJECT_MB = 100;

/**
 * Writes work as a project. The name of a unit is the id of its feature, its attributes are the properties.
 * @throws FileError for a project that is too large to be opened again
 */
export function projectFile({ units, ...others }: Work): Blob {
  const project: ProjectFile = {
    type: 'FeatureCollection',
    features: units.map(({ name, attributes, geometry }) => ({
      type: 'Feature',
      id: name,
      properties: attributes,
      geometry: geometry as Polygon | MultiPolygon,
    })),
    nurselog: others,
  };
  const file = new Blob([JSON.stringify(project)], { type: 'application/geo+json' });
  checkSize('The project', file.size, MAX_PROJECT_MB, 'Remove units or the points.');
  return file;
}

/** Whether a GeoJSON object is a project. */
export const isProject = (content: unknown): content is ProjectFile =>
  typeof content === 'object' && content !== null && Object.hasOwn(content, 'nurselog');

/** Reads a project and checks all of it. @throws FileError with the place and the reason */
export function readProject(content: ProjectFile): Work {
  const { nurselog, features } = content as { nurselog: Partial<Work> | null; features: unknown };
  const version = nurselog?.version as unknown;
  if (version !== WORK_VERSION)
    throw new FileError(
      `The project has version ${JSON.stringify(version)?.slice(0, 20) ?? 'none'}; this page reads version ${WORK_VERSION}.`,
    );
  if (!Array.isArray(features)) throw new FileError('The project has no list of features.');
  const read = readWork({
    ...nurselog,
    units: features.map((feature: Partial<Feature> | null) => ({
      name: typeof feature?.id === 'number' ? String(feature.id) : feature?.id,
      attributes: feature?.properties ?? {},
      geometry: feature?.geometry,
    })),
  });
  if (typeof read === 'string') throw new FileError(`The project cannot be read. In ${read}.`);
  return read;
}
