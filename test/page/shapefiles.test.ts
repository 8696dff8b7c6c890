import type { Feature, FeatureCollection, Polygon } from 'geojson';
import { fromLatLon } from 'utm';
import { expect } from 'vitest';
import { serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { dbf, NAD_27, UTM_10, zippedShapefile } from './support/shapefile.js';
import { collection, drop, openUnits, RING, saved, storedText } from './support/units.js';

const shared = await serviceAndBrowser(WITHOUT_MAP);

test('a shapefile in UTM becomes a unit at its place in degrees', async () => {
  const { page } = await openUnits(shared);
  const metres = RING.map(([longitude, latitude]): [number, number] => {
    const { easting, northing } = fromLatLon(latitude, longitude, 10);
    return [easting, northing];
  });
  await drop(page, 'utm.zip', zippedShapefile('Stand 17', metres, UTM_10));
  await page.locator('table.plan').getByText('Stand 17').waitFor();
  const { features } = JSON.parse(await saved(page, 'Export GeoJSON')) as FeatureCollection<Polygon>;
  expect(Object.keys(features[0]!.geometry)).toEqual(['type', 'coordinates']); // no box of projected corners
  const rounded = features[0]!.geometry.coordinates[0]!.map((corner) =>
    corner.map((degrees) => Number(degrees.toFixed(5))),
  );
  expect(new Set(rounded.map(String))).toEqual(new Set(RING.map(String)));
});

test('a shapefile in a coordinate system that cannot be converted is refused by its name, and adds no unit', async () => {
  const { page } = await openUnits(shared);
  for (const [projection, name] of [
    [UTM_10.replace('Transverse_Mercator', 'Peirce_Quincuncial'), 'NAD_1983_UTM_Zone_10N'],
    ['LOCAL_CS["Mill site",LOCAL_DATUM["Mill",0],UNIT["Meter",1.0]]', 'Mill site'],
    [`COMPD_CS["UTM 10N + NAVD88",${UTM_10},VERT_CS["NAVD88"]]`, 'UTM 10N + NAVD88'],
    [NAD_27.slice(0, 60), 'GCS_North_American_1927'], // truncated
    ['Projection    UTM\nZone          10\nDatum         NAD83\n', 'UTM'], // of ArcInfo
  ] as const) {
    await drop(page, 'units.zip', zippedShapefile('Stand 17', RING, projection));
    const what = `cannot convert the coordinate system "${name}" of units.prj`;
    await page.getByText(`The page ${what}. Save the layer in WGS 84`).waitFor();
  }
  expect(await page.getByLabel('Change a unit').count()).toBe(0);
});

test('GeoJSON whose crs is neither WGS 84 nor NAD83 is refused by its name', async () => {
  const { page } = await openUnits(shared);
  const inCrs = (name: string) =>
    collection([name]).replace('{', `{"crs":{"type":"name","properties":{"name":"${name}"}},`);
  for (const name of ['urn:ogc:def:crs:EPSG::26910', 'EPSG:4267', 'NAD83 / Oregon North', 'EPSG:32610']) {
    await drop(page, 'units.geojson', inCrs(name).replace('"name":"EPSG:32610"', '"code":32610'));
    await page.getByText(`convert the coordinate system "${name}" of the file. Save the layer in`).waitFor();
  }
  for (const name of ['urn:ogc:def:crs:OGC::CRS84', 'EPSG:4326', 'EPSG:4269', 'urn:ogc:def:crs:EPSG::4269']) {
    await drop(page, 'units.geojson', inCrs(name).replace('"name":"EPSG:4269"', '"code":4269'));
    await page.locator('table.plan').getByText(name).waitFor();
  }
  expect(await page.locator('table.plan tbody th').count()).toBe(4);
});

test('a shapefile in NAD27, one without a projection and one without an encoding get a note, and the next file none', async () => {
  const { page } = await openUnits(shared);
  const note = page.getByText('The file is in NAD27: its places may be 100 m off.');
  await drop(page, 'old.zip', zippedShapefile('Old stand', RING, NAD_27));
  await note.waitFor();
  await page.locator('table.plan').getByText('Old stand').waitFor();
  await drop(page, 'degrees.zip', zippedShapefile('Cañon', RING, 'Projection GEOGRAPHIC\nUnits DD'));
  await page.getByText('no .prj file that tells the projection').waitFor();
  await page.getByText('they are read as Windows-1252.').waitFor();
  await page.locator('table.plan').getByText('Cañon').waitFor();
  await drop(page, 'units.zip', zippedShapefile('Stand 17', RING));
  await page.locator('table.plan').getByText('Stand 17').waitFor();
  for (const text of [note, page.getByText('.prj file'), page.getByText('Windows-1252')])
    expect(await text.count()).toBe(0);
});

test('cells of a shapefile are read as GDAL reads them, deleted rows are left out, numbers beyond all are blank, and the units survive', async () => {
  const { page } = await openUnits(shared);
  const tables = [
    [dbf('', 'name', 'N', 4), { name: null }],
    [dbf('20240102', 'planted', 'D', 8), { planted: '2024-01-02' }],
    [dbf('00000000', 'sown', 'D', 8), { sown: null }],
    [dbf('123456789012345678', 'key', 'N', 18), { key: '123456789012345678' }],
    [dbf('-12.50', 'slope', 'N', 18), { slope: -12.5 }],
    [dbf('?', 'burned', 'L', 1), { burned: null }],
    [dbf('', 'fenced', 'L', 1), { fenced: null }],
    [dbf('F', 'logged', 'L', 1), { logged: false }],
    [dbf('T', 'seeded', 'L', 1), { seeded: true }],
    [dbf('12', 'old', 'N', 2, ' ', Buffer.from('\r\0')), { old: 12 }],
    [dbf('12', 'foxpro', 'N', 2, ' ', Buffer.from('\r'.padEnd(264, '\0'))), { foxpro: 12 }],
  ] as const;
  for (const [index, [table]] of tables.entries()) {
    await drop(page, 'units.zip', zippedShapefile('', RING, undefined, { 'units.dbf': table }));
    const unit = page.locator('table.plan').getByText(`Unit ${index + 1}`, { exact: true });
    await unit.waitFor();
  }
  const deleted = dbf('Deleted', 'name', 'C', 60, '*');
  await drop(page, 'units.zip', zippedShapefile('', RING, undefined, { 'units.dbf': deleted }));
  await page.getByText('The file has no polygons and no points.').waitFor();
  await drop(page, 'units.geojson', collection(['South slope', 0]).replace('"name":0', '"TPA":1e999'));
  await expect.poll(() => storedText(page)).toContain('Unit 13');
  await page.reload();
  await page.locator('table.plan').getByText('Unit 13').waitFor();
  const { features } = JSON.parse(await saved(page, 'Save project'));
  expect(features.map(({ properties }: Feature) => properties)).toEqual([
    ...tables.map(([, properties]) => properties),
    { name: 'South slope' },
    { TPA: null },
  ]);
});
