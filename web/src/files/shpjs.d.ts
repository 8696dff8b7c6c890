declare module 'shpjs' {
  import type { Geometry } from 'geojson';
  /** The geometries of a .shp file, in WGS 84 if its .prj is given; null for an empty shape, which GeoJSON allows. */
  export function parseShp(shp: Uint8Array, prj?: Uint8Array): Geometry[];
}
