import { expect } from 'vitest';
import { OUTPUT_NAMES } from '../../src/formats/table/output-columns.js';
import { readCsv } from '../http/support/tables.js';
import { serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { survivalAt } from './support/survival.js';
import { drop, openUnits, saved, score } from './support/units.js';

const shared = await serviceAndBrowser(WITHOUT_MAP);

/** GeoJSON of points with these properties, all at one place. */
function pointsOf(...each: readonly object[]): string {
  const geometry = { type: 'Point', coordinates: [-122.03, 44.12] };
  const features = each.map((properties) => ({ type: 'Feature', properties, geometry }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

test.each([
  [
    'a CSV',
    'points.csv',
    'LATITUDE, Longitude ,Species_Code, Planting_Method,ELEVATION_M,Seeds_Per_Spot\n44.12,-122.03, TSHE ,drone_seeded,900,3\n',
  ],
  [
    'GeoJSON made from a shapefile',
    'points.geojson',
    pointsOf({ SPECIES_CO: 'TSHE', PLANTING_M: 'drone_seeded', Elevation_M: 900, Seeds_Per_Spot: 3 }),
  ],
])(
  'species, method, elevation and practice of %s are used under names in other case, with blanks or cut',
  async (_, name, body) => {
    const { page } = await openUnits(shared);
    await drop(page, name, body);
    await score(page, '1 of 1 rows answered; mean survival');
    const [row] = readCsv(await saved(page, 'Save 1 row'));
    const read = { species_code: 'TSHE', planting_method: 'drone_seeded' };
    const numbers = { elevation_m: '900', seeds_per_spot: '3' };
    expect(row).toMatchObject({ latitude: '44.12', longitude: '-122.03', ...read, ...numbers });
    const names = /^ ?(species_co|planting_m|elevation_|seeds_per_)/i;
    expect(Object.keys(row!).filter((column) => names.test(column))).toHaveLength(8);
    const conditions = { seeds_per_spot: 3 };
    const survival = await survivalAt(shared.service, { ...read, elevation_m: 900, conditions });
    expect(Number(row!.survival_5)).toBe(survival);
  },
);

test('each point of a MultiPoint is a row; objects of GeoJSON are JSON in the cells, missing properties are empty, those named like any column of an answer are kept, and long integers keep their digits', async () => {
  const { page } = await openUnits(shared);
  const names = [...OUTPUT_NAMES, 'latitude', 'Longitude', 'DATE'];
  const valued = (prefix: string) => Object.fromEntries(names.map((name) => [prefix + name, 'own']));
  const first = { plot: { row: 1 }, constructor: 'mine', tags: [1, 'a'], ...valued('') };
  const two = '"MultiPoint","coordinates":[[-122.03,44.12],[-122.04,44.13]]';
  const body = pointsOf({ plot: null, day: 5 }, first)
    .replace('"Point","coordinates":[-122.03,44.12]', two)
    .replace('"day":5', '"day":9007199254740993');
  await drop(page, 'points.geojson', body);
  await score(page, '3 of 3 rows answered; mean survival');
  const later = { plot: '', constructor: '', tags: '', day: '9007199254740993' };
  expect(readCsv(await saved(page, 'Save 3 rows'))).toMatchObject([
    { ...later, latitude: '44.12' },
    { ...later, latitude: '44.13', longitude: '-122.04' },
    { plot: '{"row":1}', constructor: 'mine', tags: '[1,"a"]', day: '', ...valued('file_') },
  ]);
});

test('the page says how it renamed columns of one name or none, unless they are empty', async () => {
  const { page } = await openUnits(shared);
  const renamed = (name: string) => page.getByText(`Columns were renamed: ${name}_1.`);
  await drop(page, 'points.csv', 'latitude,longitude,,\n44.12,-122.03,,dry\n');
  await renamed('a column without a name to ').waitFor();
  await drop(page, 'points.csv', 'latitude,longitude,note,note,, \n44.12,-122.03,dry,steep,, \n');
  await renamed('note to note').waitFor();
});
