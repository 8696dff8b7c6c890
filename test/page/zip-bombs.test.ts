import { deflateRawSync } from 'node:zlib';
import { expect } from 'vitest';
import { browserTest, serviceAndBrowser } from './support/browser.js';
import { type Deflated, zippedShapefile } from './support/shapefile.js';
import { drop, openUnits, RING } from './support/units.js';

const shared = serviceAndBrowser();

/** Zeros that are a thousandth of their size in a zip. */
const zeros = (bytes: number, statedBytes = bytes): Deflated => ({
  deflated: deflateRawSync(Buffer.alloc(bytes)),
  statedBytes,
});
const TABLE = zeros(80e6);

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
};

browserTest(
  'zips that unpack to much more are refused by what is too large, and other files are read after them',
  async () => {
    const { page, context, faults } = await openUnits(shared);
    for (const [name, { entries, message }] of Object.entries(BOMBS)) {
      const zip = zippedShapefile(name, RING, undefined, entries);
      expect(zip.length).toBeLessThan(1e6);
      await drop(page, 'bomb.zip', zip);
      await page.getByText(message).waitFor();
    }
    const attachment = { 'units.shp.xml': zeros(256e6) };
    await drop(page, 'units.zip', zippedShapefile('Stand 17', RING, undefined, attachment));
    await page.locator('table.plan').getByText('Stand 17').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  },
);
