import { modelOf } from '../../prediction/artefacts/manifest.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { GenerationData } from '../../prediction/per-generation.js';
import { type OutputColumn, SURFACE_COLUMNS, type SurfaceRows } from '../table/output-columns.js';
import {
  csvCell,
  csvFormat,
  GEOJSON_FEATURES,
  JSON_ELEMENTS,
  type TextFormat,
} from '../text/text-formats.js';
import { type Surface, surfaceFields } from './surface.js';

/** Rows of a surface in some columns, and the text around them. */
export interface TextSection {
  readonly head: string;
  readonly columns: readonly OutputColumn<SurfaceRows>[];
  readonly format: TextFormat;
  /** What follows the rows, instead of the comma after the last one. */
  readonly tail: string;
}

/** A surface as CSV with a header line. */
export function csvSections(): TextSection[] {
  const columns = SURFACE_COLUMNS;
  const format = csvFormat('\r\n');
  return [
    { head: columns.map(({ name }) => csvCell(name)).join() + format.after, columns, format, tail: '' },
  ];
}

/** A surface as a FeatureCollection of points. */
export function geoJsonSections(surface: Surface, artefacts: GenerationData['artefacts']): TextSection[] {
  const fields = surfaceFields(surface, artefacts);
  const head = { type: 'FeatureCollection', ...fields, model: modelOf(artefacts.manifest) };
  return [
    {
      head: `${JSON.stringify(head).slice(0, -1)},"features":[`,
      columns: SURFACE_COLUMNS,
      format: GEOJSON_FEATURES,
      tail: ']}',
    },
  ];
}

/** A surface as a JSON object of columns, those of survival by method and horizon: a section for each column. */
export function jsonSections(surface: Surface, artefacts: GenerationData['artefacts']): TextSection[] {
  const columns = SURFACE_COLUMNS;
  const survivals = PLANTING_METHODS.length * HORIZONS.length;
  const heads = columns.slice(0, -survivals).map(({ name }) => `"${name}":[`);
  const tails = heads.map(() => '],');
  heads[0] = `${JSON.stringify(surfaceFields(surface, artefacts)).slice(0, -1)},${heads[0]}`;
  for (const [m, method] of PLANTING_METHODS.entries())
    for (const [h, years] of HORIZONS.entries()) {
      const before = h > 0 ? ',' : m > 0 ? `,"${method}":{` : `"survival":{"${method}":{`;
      heads.push(`${before}"${years}":[`);
      tails.push(h === HORIZONS.length - 1 ? ']}' : ']');
    }
  tails[tails.length - 1] += `},"model":${JSON.stringify(modelOf(artefacts.manifest))}}`;
  return columns.map((column, i) => ({
    head: heads[i],
    columns: [column],
    format: JSON_ELEMENTS,
    tail: tails[i],
  }));
}
