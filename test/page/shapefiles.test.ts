import type { Feature, FeatureCollection, Polygon } from 'geojson';
import { fromLatLon } from 'utm';
import { expect } from 'vitest';
import { browserTest, serviceAndBrowser, WITHOUT_MAP } from './support/browser.js';
import { dbf, NAD_27, UTM_10, zippedShapefile } from './support/shapefile.js';
import { collection, drop, openUnits, RING, saved, storedText } from './support/units.js';

const shared = serviceAndBrowser(WITHOUT_MAP);

browserTest('a shapefile in UTM becomes a unit at its place in degrees', async () => {
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

browserTest(
  'a shapefile in a coordinate system that cannot be converted is refused by its name, and adds no unit',
  async () => {
    const { page } = await openUnits(shared);
    for (const [projection, name] of [
      [UTM_10.replace('Transverse_Mercator', 'Peirce_Quincuncial'), 'NAD_1983_UTM_Zone_10N'],
      ['LOCAL_CS["Mill site",LOCAL_DATUM["Mill",0],UNIT["Meter",1.0]]', 'Mill site'],
      [`COMPD_CS["UTM 10N + NAVD88",${UTM_10},VERT_CS["NAVD88"]]`, 'UTM 10N + NAVD88'],
      [NAD_27.slice(0, 60), 'GCS_North_American_1927'], // truncated
      ['Projection    UTM\nZone          10\nDatum         NAD83\n', 'UTM'], // of ArcInfo
    ] as const) {
      await drop(page, 'units.zip', zippedShapefile('Stand 17', RING, projection));
      await page
        .getByText(
          `The page cannot convert the coordinate system "${name}" of units.prj. Save the layer in WGS 84`,
        )
        .waitFor();
    }
    expect(await page.getByLabel('Change a unit').count()).toBe(0);
  },
);

browserTest('GeoJSON whose crs is neither WGS 84 nor NAD83 is refused by its name', async () => {
  const { page } = await openUnits(shared);
  const inCrs = (name: string) =>
    collection([name]).replace('{', `{"crs":{"type":"name","properties":{"name":"${name}"}},`);
  for (const name of ['urn:ogc:def:crs:EPSG::26910', 'EPSG:4267', 'NAD83 / Oregon Lambert (ft)']) {
    await drop(page, 'units.geojson', inCrs(name));
    await page.getByText(`convert the coordinate system "${name}" of the file. Save the layer in`).waitFor();
  }
  for (const name of ['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326', 'urn:ogc:def:crs:EPSG::4269']) {
    await drop(page, 'units.geojson', inCrs(name));
    await page.locator('table.plan').getByText(name).waitFor();
  }
  expect(await page.locator('table.plan tbody th').count()).toBe(3);
});

browserTest(
  'a shapefile in NAD27, one without a projection and one without an encoding get a note, and the next file none',
  async () => {
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
  },
);

browserTest(
  'blank numbers of a shapefile and numbers beyond all are blank, dates are those of the file, and the units survive',
  async () => {
    const { page } = await openUnits(shared);
    const blank = dbf('', 'name', 'N', 4);
    const dated = dbf('20240102', 'planted', 'D', 8);
    await drop(page, 'units.zip', zippedShapefile('', RING, undefined, { 'units.dbf': blank }));
    await page.locator('table.plan').getByText('Unit 1').waitFor();
    await drop(page, 'units.geojson', collection(['South slope', 0]).replace('"name":0', '"TPA":1e999'));
    await page.locator('table.plan').getByText('Unit 3').waitFor();
    await drop(page, 'dated.zip', zippedShapefile('', RING, undefined, { 'units.dbf': dated }));
    await expect.poll(() => storedText(page)).toContain('Unit 4');
    await page.reload();
    await page.locator('table.plan').getByText('Unit 4').waitFor();
    const { features } = JSON.parse(await saved(page, 'Save project'));
    expect(features.map(({ properties }: Feature) => properties)).toEqual([
      { name: null },
      { name: 'South slope' },
      { TPA: null },
      { planted: '2024-01-02' },
    ]);
  },
);
