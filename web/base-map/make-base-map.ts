import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Feature, FeatureCollection, Geometry, Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/**
 * Makes base-map.json, the base map of the planner's page: npm run base-map -- --sources DIR, where DIR holds
 * natural_earth/*_window.geojson (Natural Earth 1:10 million, public domain). States and counties come from the package
 * us-atlas (US Census Bureau, public domain), land beyond the border from world-atlas (Natural Earth 1:50 million).
 */

const { sources } = parseArgs({ options: { sources: { type: 'string' } } }).values;
if (sources === undefined) throw new Error('Usage: npm run base-map -- --sources DIR');

/** Five decimals are about a metre; four are enough for a map at these scales. */
const DECIMALS = 4;
/** What the map can show: west, south, east, north. */
const WINDOW = [-131, 38, -110, 53] as const;
const STATES: Readonly<Record<string, string>> = { '41': 'Oregon', '53': 'Washington' };
/** California, Idaho, Montana, Nevada. */
const NEIGHBOURS = ['06', '16', '30', '32'];

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
  ...['10m_rivers_lake_centerlines', '10m_rivers_north_america'].flatMap((name) =>
    naturalEarth(name).map(({ geometry, properties }) =>
      shape('river', geometry, { name: properties?.name ?? undefined, rank: properties?.scalerank }),
    ),
  ),
  ...naturalEarth('10m_lakes_north_america').map(({ geometry, properties }) =>
    shape('lake', geometry, { name: properties?.name ?? undefined }),
  ),
  ...naturalEarth('10m_glaciated_areas').map(({ geometry }) => shape('glacier', geometry)),
  ...naturalEarth('10m_populated_places_simple').map(({ geometry, properties }) =>
    shape('town', geometry, {
      name: properties?.name,
      state: properties?.adm1name,
      rank: properties?.scalerank,
    }),
  ),
].filter((each) => each !== undefined);

writeFileSync(here('base-map.json'), JSON.stringify({ type: 'FeatureCollection', features }));

/** A feature with rounded coordinates, or undefined where no part of it lies in the window. */
function shape(kind: string, geometry: Geometry, properties: object = {}): Feature | undefined {
  const rounded = roundGeometry(geometry);
  return rounded && { type: 'Feature', properties: { kind, ...properties }, geometry: rounded };
}

function roundGeometry(geometry: Geometry): Geometry | undefined {
  switch (geometry.type) {
    case 'Point':
      return { type: 'Point', coordinates: roundPosition(geometry.coordinates) };
    case 'LineString':
      return { type: 'LineString', coordinates: roundLine(geometry.coordinates) };
    case 'MultiLineString':
      return { type: 'MultiLineString', coordinates: geometry.coordinates.map(roundLine) };
    case 'Polygon':
    case 'MultiPolygon': {
      const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
      const shown = polygons
        .map((rings) =>
          rings.map((ring) => closed(clipRing(ring).map(roundPosition))).filter((r) => r.length > 3),
        )
        .filter((rings) => rings.length > 0);
      return shown.length === 0 ? undefined : { type: 'MultiPolygon', coordinates: shown };
    }
    default:
      throw new Error(`no ${geometry.type} is expected in the sources`);
  }
}

function roundPosition([longitude, latitude]: Position): Position {
  return [Number(longitude!.toFixed(DECIMALS)), Number(latitude!.toFixed(DECIMALS))];
}

/** A line without the points that rounding made equal to the one before. */
function roundLine(line: Position[]): Position[] {
  const rounded = line.map(roundPosition);
  return rounded.filter((point, index) => index === 0 || String(point) !== String(rounded[index - 1]));
}

function closed(ring: Position[]): Position[] {
  const line = ring.filter((point, index) => index === 0 || String(point) !== String(ring[index - 1]));
  return line.length > 0 && String(line[0]) !== String(line.at(-1)) ? [...line, line[0]!] : line;
}

/** The part of a ring inside the window (Sutherland and Hodgman's algorithm, one side after the other). */
function clipRing(ring: Position[]): Position[] {
  const [west, south, east, north] = WINDOW;
  const sides: [axis: 0 | 1, limit: number, sign: 1 | -1][] = [
    [0, west, 1],
    [0, east, -1],
    [1, south, 1],
    [1, north, -1],
  ];
  return sides.reduce((points, [axis, limit, sign]) => {
    const isInside = (point: Position) => (point[axis]! - limit) * sign >= 0;
    return points.flatMap((point, index) => {
      const previous = points.at(index - 1)!;
      if (isInside(point) === isInside(previous)) return isInside(point) ? [point] : [];
      const share = (limit - previous[axis]!) / (point[axis]! - previous[axis]!);
      const crossing = [0, 1].map((each) => previous[each]! + share * (point[each]! - previous[each]!));
      return isInside(point) ? [crossing, point] : [crossing];
    });
  }, ring);
}
