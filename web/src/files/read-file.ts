import type { Feature, GeoJSON, MultiPoint, MultiPolygon, Point, Polygon, Position } from 'geojson';
import Papa from 'papaparse';
import { withoutOurNames } from '../exports/plan-export.js';
import { propertyText } from '../page/format.js';
import { withoutAnsweredNames } from '../points/own-columns.js';
import type { PointTable, Row } from '../state/points.js';
import type { Work } from '../state/work.js';
import { checkCrs } from './check-projection.js';
import { checkSize, FileError } from './file-error.js';
import { isProject, MAX_PROJECT_MB, readProject } from './project-file.js';
import { numberOrDigits } from './read-dbf.js';
import { readShapefile } from './read-shapefile.js';

/** What a dropped file holds. */
export interface FileContent {
  readonly polygons: readonly Feature<Polygon | MultiPolygon>[];
  /** null without points. */
  readonly points: PointTable | null;
  /** Features that are neither polygons nor points. */
  readonly ignored: number;
  /** What a planner should know of how the file was read. */
  readonly notes?: readonly string[];
  /** All of a project; then nothing else. */
  readonly project?: Work;
}

/** The largest file that is read, unless it is a project. */
const MAX_MB = 30;
const DIVIDE = 'Divide it into parts.';
/**
 * The columns that the service reads, and names that files give them. Shapefiles cut names to ten characters, of which
 * some mean something else: `elevation_` may be in feet, and `vegetation` a type of it.
 */
const READ_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  latitude: ['latitude', 'lat', 'y'],
  longitude: ['longitude', 'lon', 'lng', 'long', 'x'],
  species_code: ['species_code', 'species_co'],
  planting_method: ['planting_method', 'planting_m'],
  elevation_m: ['elevation_m'],
  vegetation_control: ['vegetation_control'],
  overstory_cover: ['overstory_cover'],
  seeds_per_spot: ['seeds_per_spot'],
};

/** Reads a GeoJSON, CSV or zipped shapefile. @throws FileError */
export async function readFile(file: File): Promise<FileContent> {
  const name = file.name.toLowerCase();
  const isJson = name.endsWith('.geojson') || name.endsWith('.json');
  checkSize('The file', file.size, isJson ? MAX_PROJECT_MB : MAX_MB, DIVIDE);
  if (name.endsWith('.zip')) {
    const { features, notes } = await readShapefile(await file.arrayBuffer());
    return { ...sortFeatures(features), notes };
  }
  if (name.endsWith('.csv')) return readCsv(await readText(file));
  if (isJson) return readJson(await readText(file), file.size);
  if (name.endsWith('.shp'))
    throw new FileError(
      'A .shp file alone has no attributes and no projection: drop the zip of all its parts.',
    );
  throw new FileError('This file is not GeoJSON (.geojson), CSV (.csv) or a zipped shapefile (.zip).');
}

/** @throws FileError if the file is not UTF-8: other bytes would be lost */
async function readText(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileError('The file is not UTF-8: save it as "CSV UTF-8" (Excel) or in UTF-8.');
  }
}

function readJson(text: string, bytes: number): FileContent {
  let content: GeoJSON;
  try {
    content = JSON.parse(text, LONG_INTEGER.test(text) ? keepDigits : undefined) as GeoJSON;
  } catch {
    throw new FileError('The file is not JSON: it is damaged or truncated.');
  }
  if (isProject(content)) return { polygons: [], points: null, ignored: 0, project: readProject(content) };
  checkSize('The file', bytes, MAX_MB, DIVIDE);
  checkCrs(content);
  return sortFeatures(featuresOf(content));
}

/** A reviver takes ten times as long: only files with an integer of 16 digits need it. */
const LONG_INTEGER = /(?:^|[^\d.])\d{16}/;

/** @param context of the text in the file, which older browsers do not give */
const keepDigits = (_: string, value: unknown, context?: { readonly source?: string }) =>
  typeof value === 'number' ? numberOrDigits(value, context?.source ?? '') : value;

function featuresOf(content: GeoJSON): Feature[] {
  if (content?.type === 'FeatureCollection' && Array.isArray(content.features)) return content.features;
  if (content?.type === 'Feature') return [content];
  if (content?.type === 'Polygon' || content?.type === 'MultiPolygon')
    return [{ type: 'Feature', properties: {}, geometry: content }];
  throw new FileError('The file is JSON, but not a GeoJSON FeatureCollection.');
}

function sortFeatures(features: readonly Feature[]): FileContent {
  const polygons = features.filter(isPolygon);
  const names = withoutOurNames(
    [...new Set(features.flatMap((feature) => Object.keys(feature?.properties ?? {})))],
    (name) => name === 'latitude' || name === 'longitude',
  );
  const located = features.map((feature) => rowsOf(feature, names)).filter(({ length }) => length > 0);
  const rows = located.flat();
  if (polygons.length + rows.length === 0) throw new FileError('The file has no polygons and no points.');
  return {
    polygons,
    points: rows.length === 0 ? null : tableOf([...new Set(rows.flatMap((row) => Object.keys(row)))], rows),
    ignored: features.length - polygons.length - located.length,
  };
}

/**
 * A row for each point of a feature; none for other geometries.
 * @param names of the columns, by the names of properties
 */
function rowsOf(feature: Feature, names: ReadonlyMap<string, string>): Row[] {
  const { type } = feature?.geometry ?? {};
  if ((type !== 'Point' && type !== 'MultiPoint') || !hasCoordinates(feature)) return [];
  const { coordinates } = feature.geometry as Point | MultiPoint;
  const own = Object.entries(feature.properties ?? {}).map(([name, value]) => [
    names.get(name) ?? name,
    propertyText(value),
  ]);
  return (type === 'Point' ? [coordinates as Position] : (coordinates as Position[])).map((position) => ({
    ...Object.fromEntries(own),
    latitude: String(position?.[1]),
    longitude: String(position?.[0]),
  }));
}

function isPolygon(feature: Feature): feature is Feature<Polygon | MultiPolygon> {
  const type = feature?.geometry?.type;
  return (type === 'Polygon' || type === 'MultiPolygon') && hasCoordinates(feature);
}

/** Whether a geometry has coordinates; in damaged files they may be null. */
const hasCoordinates = ({ geometry }: Feature) =>
  'coordinates' in geometry && Array.isArray(geometry.coordinates);

function readCsv(text: string): FileContent {
  const { data, meta, errors } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: 'greedy',
  });
  const columns = meta.fields ?? [];
  if (columns.length === 0) throw new FileError('The CSV is empty.');
  if (columnOf(columns, 'latitude') === undefined || columnOf(columns, 'longitude') === undefined)
    throw new FileError(
      `The CSV needs the columns latitude and longitude; it has: ${columns.slice(0, 12).join(', ')}.`,
    );
  // A file of one column has no delimiter.
  const error = errors.find(({ code }) => code !== 'UndetectableDelimiter');
  if (error !== undefined)
    throw new FileError(`Row ${rowOf(error)} of the CSV cannot be read: ${error.message}.`);
  if (data.length === 0) throw new FileError('The CSV has a header and no rows.');
  const ownNames = new Map(Object.entries(meta.renamedHeaders ?? {}));
  const isBlank = (text = '') => text.trim() === '';
  // Spreadsheets may end all rows with commas, for columns that were emptied.
  const used = columns.filter(
    (name) => !isBlank(ownNames.get(name) ?? name) || !data.every((row) => isBlank(row[name])),
  );
  const renamed = used
    .filter((name) => ownNames.has(name))
    .map((name) => `${ownNames.get(name)?.trim() || 'a column without a name'} to ${name}`);
  const notes = renamed.length === 0 ? [] : [`Columns were renamed: ${renamed.join(', ')}.`];
  return { polygons: [], points: tableOf(used, data), ignored: 0, notes };
}

const tableOf = (columns: readonly string[], rows: readonly Row[]) =>
  withReadColumns(withoutAnsweredNames({ columns, rows }));

/** Adds columns under the names that the service reads, with the values of the file's columns, which are kept. */
function withReadColumns({ columns, rows }: PointTable): PointTable {
  const sources = Object.keys(READ_COLUMNS).flatMap((name) => {
    const own = columnOf(columns, name);
    return own === undefined ? [] : [{ name, own }];
  });
  return {
    columns: [...new Set([...columns, ...sources.map(({ name }) => name)])],
    rows: rows.map((row) => ({
      ...row,
      ...Object.fromEntries(sources.map(({ name, own }) => [name, statedIn(name, row[own])])),
    })),
  };
}

/** A cell without blanks around; '' for NA, which R writes where a value is missing, but for a place, which none may lack. */
const statedIn = (name: string, cell = '') =>
  name === 'latitude' || name === 'longitude' ? cell : cell.trim().replace(/^NA$/, '');

/** The file's name of a column that the service reads: the exact name, else one in other case or with blanks around. */
function columnOf(columns: readonly string[], name: string): string | undefined {
  const found = READ_COLUMNS[name]?.find((each) => columns.some((column) => isNamed(column, each)));
  if (found === undefined || columns.includes(found)) return found;
  return columns.find((column) => isNamed(column, found));
}

const isNamed = (column: string, name: string) => column.trim().toLowerCase() === name;

/** The row number in a spreadsheet, with the header as row 1. Papa counts from 0, with the header only for quotes. */
const rowOf = ({ type, row = 0 }: Papa.ParseError) => row + (type === 'Quotes' ? 1 : 2);
