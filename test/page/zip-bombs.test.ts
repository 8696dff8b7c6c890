import { deflateRawSync } from 'node:zlib';
import { expect } from 'vitest';
import { serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { type Deflated, zippedShapefile } from './support/shapefile.js';
import { drop, openUnits, RING } from './support/units.js';

const shared = await serviceAndBrowser(WITHOUT_MAP);

/** Zeros that are a thousandth of their size in a zip. */
const zeros = (bytes: number, statedBytes = bytes): Deflated => ({
  deflated: deflateRawSync(Buffer.alloc(bytes)),
  statedBytes,
});
const TABLE = zeros(80e6);

/** A table without columns, whose header states its rows and their size. */
function tableOf(rows: number, rowBytes: number, bytes: number): Deflated {
  const table = Buffer.alloc(bytes);
  table.writeUInt32LE(rows, 4);
  table.writeUInt16LE(33, 8);
  table.writeUInt16LE(rowBytes, 10);
  return { deflated: deflateRawSync(table), statedBytes: bytes };
}

/** A polygon that states its rings, and what follows it. */
function shapesOf(rings: number, more: Buffer): Deflated {
  const polygon = Buffer.alloc(152);
  polygon.writeInt32BE(22, 104); // in words of 16 bits
  polygon.writeInt32LE(5, 32);
  polygon.writeInt32LE(5, 108);
  polygon.writeInt32LE(rings, 144);
  const shapes = Buffer.concat([polygon, more]);
  return { deflated: deflateRawSync(shapes), statedBytes: shapes.length };
}

/** Shapes that are empty. */
const emptyShapes = (count: number) =>
  Buffer.concat(Array.from({ length: count }, () => Buffer.from([0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0])));

const BOMBS: Readonly<Record<string, { entries: Record<string, Deflated>; message: string }>> = {
  'a projection of 256 MB': {
    entries: { 'units.prj': zeros(256e6) },
    message: 'units.prj in the zip has more than 1 MB when it is unpacked. Divide the layer into parts.',
  },
  'a projection of 256 MB that the zip states as 100 bytes': {
    entries: { 'units.prj': zeros(256e6, 100) },
    message: 'units.prj in the zip has more than 1 MB when it is unpacked.',
  },
  'a table of 256 MB': {
    entries: { 'Units.DBF': zeros(256e6) },
    message: 'Units.DBF in the zip has more than 100 MB when it is unpacked.',
  },
  'two tables of 80 MB': {
    entries: { 'a.dbf': TABLE, 'b.dbf': TABLE },
    message: 'The shapefiles in the zip have more than 150 MB when they are unpacked.',
  },
  'a table of 100 bytes that states four billion rows': {
    entries: { 'units.dbf': tableOf(2 ** 32 - 1, 0, 100) },
    message: 'units.dbf in the zip is damaged or truncated.',
  },
  'a table that ends before its rows': {
    entries: { 'units.dbf': tableOf(1000, 50, 1000) },
    message: 'units.dbf in the zip is damaged or truncated.',
  },
  'a table of 90 million rows of a byte': {
    entries: { 'units.dbf': tableOf(90e6, 1, 90e6 + 40) },
    message: 'units.dbf in the zip has more than 500,000 rows. Divide the layer into parts.',
  },
  'a polygon of a million rings': {
    entries: { 'units.shp': shapesOf(1e6, Buffer.alloc(0)) },
    message: 'units.shp in the zip has more than 20,000 rings a shape.',
  },
  'shapes of no bytes': {
    entries: { 'units.shp': shapesOf(1, Buffer.alloc(80e6)) },
    message: 'units.shp in the zip is damaged or truncated.',
  },
  'a million empty shapes': {
    entries: { 'units.shp': shapesOf(1, emptyShapes(1e6)) },
    message: 'units.shp in the zip has more than 500,000 shapes.',
  },
};

test('zips that unpack or are parsed to much more are refused by what is too large, and other files are read after them', async () => {
  const { page } = await openUnits(shared);
  for (const [name, { entries, message }] of Object.entries(BOMBS)) {
    const zip = zippedShapefile(name, RING, undefined, entries);
    expect(zip.length).toBeLessThan(1e6);
    await drop(page, 'bomb.zip', zip);
    await page.getByText(message).waitFor();
  }
  const attachment = { 'units.shp.xml': zeros(256e6) };
  await drop(page, 'units.zip', zippedShapefile('Stand 17', RING, undefined, attachment));
  await page.locator('table.plan').getByText('Stand 17').waitFor();
});
