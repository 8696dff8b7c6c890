import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPTION, SiteRows, siteRowsBytes } from '../../src/prediction/site-rows.js';

const COLUMNS = [
  'latitude',
  'longitude',
  'generatedAtMs',
  'species',
  'method',
  'horizons',
  'options',
] as const;
const WIDTH = 4;
const numbers = fc.array(fc.double(), { minLength: WIDTH, maxLength: WIDTH });

const byte = fc.integer({ min: 0, max: 255 });
const place = {
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  generatedAtMs: fc.date({ noInvalidDate: true }).map((date) => date.getTime()),
  species: byte,
  method: byte,
  horizons: byte,
};
/** Only a row that is adjusted has numbers. */
const site = fc.oneof(
  fc.record({ ...place, options: fc.constant<number>(OPTION.adjusted), adjustments: numbers }),
  fc.record({ ...place, options: fc.constant<number>(0), adjustments: fc.constant<number[]>([]) }),
);
type Site = typeof site extends fc.Arbitrary<infer Value> ? Value : never;

function pack(sites: readonly Site[]): SiteRows {
  const rows = new SiteRows(sites.length, WIDTH);
  for (const [row, values] of sites.entries()) {
    for (const column of COLUMNS) rows[column][row] = values[column];
    rows.adjustments.set(values.adjustments, row * WIDTH);
  }
  return rows;
}

function unpack(rows: SiteRows): Site[] {
  return Array.from({ length: rows.count }, (_, row) => ({
    latitude: rows.latitude[row],
    longitude: rows.longitude[row],
    generatedAtMs: rows.generatedAtMs[row],
    species: rows.species[row],
    method: rows.method[row],
    horizons: rows.horizons[row],
    options: rows.options[row],
    adjustments:
      rows.options[row] === OPTION.adjusted
        ? [...rows.adjustments.subarray(row * WIDTH, (row + 1) * WIDTH)]
        : [],
  }));
}

const sites = fc.array(site, { maxLength: 40 });

test('rows of sites are read unchanged from shared memory', () => {
  fc.assert(
    fc.property(sites, (values) => {
      const memory = new SharedArrayBuffer(siteRowsBytes(values.length, WIDTH) + 5);
      new SiteRows(values.length, WIDTH, memory).copyRows(0, pack(values), 0, values.length);
      expect(unpack(new SiteRows(values.length, WIDTH, memory))).toEqual(values);
    }),
  );
});

test('the first rows of a set are a copy of them', () => {
  fc.assert(
    fc.property(sites, fc.nat(40), (values, length) => {
      const count = Math.min(length, values.length);
      expect(unpack(pack(values).first(count))).toEqual(values.slice(0, count));
    }),
  );
});

test('copying a range of rows to any position leaves the other rows unchanged', () => {
  fc.assert(
    fc.property(sites, sites, fc.nat(40), fc.nat(40), fc.nat(40), (target, source, at, from, length) => {
      const start = Math.min(at, target.length);
      const first = Math.min(from, source.length);
      const count = Math.min(length, target.length - start, source.length - first);
      const rows = pack(target);
      rows.copyRows(start, pack(source), first, count);
      const expected = [...target];
      expected.splice(start, count, ...source.slice(first, first + count));
      expect(unpack(rows)).toEqual(expected);
    }),
  );
});
