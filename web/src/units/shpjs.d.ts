declare module 'shpjs' {
  import type { FeatureCollection } from 'geojson';
  /** Reads the bytes of a zipped shapefile, in WGS 84; an array where the zip holds several. */
  export default function shapefile(bytes: ArrayBuffer): Promise<FeatureCollection | FeatureCollection[]>;
}
