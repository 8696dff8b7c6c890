import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkBatch } from '../../src/http/request/batch.js';
import { BatchScanner } from '../../src/http/request/batch-scanner.js';
import { RequestChecker } from '../../src/http/request/check-request.js';
import { parseJson } from '../../src/http/request/json-body.js';
import { SpeciesCatalogue } from '../../src/prediction/artefacts/species.js';
import type { SiteRows } from '../../src/prediction/site-rows.js';
import { readPredictorData } from '../../testing/project.js';

const species = new SpeciesCatalogue(readPredictorData().species);
const checker = new RequestChecker(species);
const scanner = new BatchScanner(species);

/** What the scanner reads, and what JSON.parse and the schemas read; nothing where they find anything wrong. */
function bothWays(text: string) {
  const body = Buffer.from(text);
  const scanned = scanner.scan(body);
  return { scanned: scanned && columns(scanned), checked: checkedColumns(body) };
}

function checkedColumns(body: Buffer) {
  try {
    const { rows, failed } = checkBatch(parseJson(body), 'hypha', checker);
    return failed.size === 0 ? columns(rows) : undefined;
  } catch {
    return undefined;
  }
}

function columns({ latitude, longitude, species, method, horizons }: SiteRows) {
  return {
    latitude: [...latitude],
    longitude: [...longitude],
    species: [...species],
    method: [...method],
    horizons: [...horizons],
  };
}

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r ');
/** Numbers as callers write them, and as nobody should. */
const number = fc.oneof(
  fc.double({ min: -200, max: 200, noNaN: true }).map(String),
  fc
    .tuple(fc.integer({ min: -99, max: 99 }), fc.stringMatching(/^\d{1,25}$/))
    .map(([whole, decimals]) => `${whole}.${decimals}`),
  fc.constantFrom(
    '0',
    '-0',
    '90',
    '-180',
    '180.0',
    '-180.00000000000001',
    '1e1',
    '01',
    '.5',
    '5.',
    '-',
    '+1',
    '1e999',
    '"44"',
    'null',
    '9007199254740993',
  ),
);
const fields = fc.record({
  latitude: number,
  longitude: number,
  species_code: fc.constantFrom('"PSME"', '"TSHE"', '"psme"', '"PSM\\u0045"', '"PSMEX"', '""', '5', '"QUGA'),
  planting_method: fc.constantFrom('"manual"', '"drone_seeded"', '"Manual"', '"manua"', 'null'),
  horizons: fc.constantFrom(
    undefined,
    '[1]',
    '[5,3,5]',
    '[ 1 , 3 ]',
    '[]',
    '[2]',
    '[1,]',
    'null',
    '"1"',
    '[1.0]',
    '[[1]]',
  ),
});
const rightFields = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }).map(String),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }).map((value) => value.toFixed(7)),
  species_code: fc.constantFrom('"PSME"', '"TSHE"'),
  planting_method: fc.constantFrom('"manual"', '"drone_seeded"'),
  horizons: fc.constantFrom(undefined, '[1]', '[5,3,5]', '[ 1 , 3 ]'),
});
const entry = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: rightFields }, fields),
    fc.nat(),
    space,
    fc.constantFrom('', '', '', '"tag":"x"', '"latitude":1', '"__proto__":{}', 'x'),
  )
  .map(([values, order, gap, extra]) => {
    const pairs = Object.entries(values).filter(([, value]) => value !== undefined);
    const turned = pairs.map((_, i) => pairs[(i + order) % pairs.length]);
    const texts = turned.map(([name, value]) => `"${name}"${gap}:${gap}${value}`);
    return `{${gap}${[...texts, extra].filter((text) => text !== '').join(`${gap},${gap}`)}${gap}}`;
  });
const body = fc
  .tuple(fc.array(entry, { maxLength: 4 }), space, fc.constantFrom('', '', '', '', ',', ' x', '\0', '}'))
  .map(
    ([entries, gap, tail]) =>
      `${gap}{${gap}"requests"${gap}:[${entries.join(`${gap},`)}${gap}]${gap}}${gap}${tail}`,
  );

describe('the batch scanner', () => {
  test('reads nothing that JSON.parse and the schemas do not read, and all of it the same', () => {
    let read = 0;
    fc.assert(
      fc.property(body, (text) => {
        const { scanned, checked } = bothWays(text);
        if (scanned === undefined) return;
        read++;
        expect(scanned).toEqual(checked);
      }),
      { numRuns: 30_000 },
    );
    expect(read).toBeGreaterThan(1000); // about a tenth is plain
  });

  test('reads bodies whose entries are plainly right', () => {
    fc.assert(
      fc.property(fc.array(rightFields, { maxLength: 20 }), (entries) => {
        const texts = entries.map((values) => {
          const pairs = Object.entries(values).filter(([, value]) => value !== undefined);
          return `{${pairs.map(([name, value]) => `"${name}": ${value}`).join(', ')}}`;
        });
        const plain = texts.filter((text) => !/\de-?\d/.test(text)); // an exponent is not plain
        const { scanned, checked } = bothWays(`{"requests": [${plain.join(', ')}]}`);
        expect(checked).toBeDefined();
        expect(scanned).toEqual(checked);
      }),
      { numRuns: 2000 },
    );
  });

  test('reads the same whatever single byte of a body is another', () => {
    const right = Buffer.from(
      '{"requests":[{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual","horizons":[1,3]}]}',
    );
    for (let at = 0; at < right.length; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const changed = Buffer.from(right);
        changed[at] = byte;
        const scanned = scanner.scan(changed);
        if (scanned !== undefined) expect(columns(scanned)).toEqual(checkedColumns(changed));
      }
    }
  });
});
