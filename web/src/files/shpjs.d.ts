declare module 'shpjs' {
  import type { FeatureCollection, Geometry } from 'geojson';
  /** The geometries of a .shp file, in WGS 84 if its .prj is given. */
  export function parseShp(shp: Uint8Array, prj?: Uint8Array): Geometry[];
  /** The rows of a .dbf file, whose .cpg names its encoding. */
  export function parseDbf(dbf: Uint8Array, cpg?: Uint8Array): Record<string, unknown>[];
  export function combine(parts: [Geometry[], Record<string, unknown>[]]): FeatureCollection;
}
