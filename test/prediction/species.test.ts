import fc from 'fast-check';
import { expect, test } from 'vitest';
import { speciesCatalogue } from '../../src/prediction/artefacts/species.js';
import { readPredictorData } from '../../testing/project.js';
import { forAll } from '../support/for-all.js';

const { species } = readPredictorData();
const catalogue = speciesCatalogue(species);
const closestCode = (text: string) => catalogue.closest(text)?.species_code;

test('a species is found by its exact code at its index in the models', () => {
  species.forEach(({ species_code }, index) => {
    expect(catalogue.indexOf(species_code)).toBe(index);
    expect(catalogue.indexOf(species_code.toLowerCase())).toBe(-1);
    expect(catalogue.indexOf(`${species_code} `)).toBe(-1);
  });
  for (const text of ['', 'XXXX', '__proto__', 'constructor']) expect(catalogue.indexOf(text)).toBe(-1);
});

test('the closest species is found for a code with two letters exchanged and for a name without its hyphen', () => {
  expect(['QUAG', 'douglas fir'].map(closestCode)).toEqual(['QUGA', 'PSME']);
});

test('the closest species to its own code and both its names is each species itself, in any case', () => {
  for (const { species_code, common_name, scientific_name } of species)
    for (const text of [species_code, common_name, scientific_name])
      for (const written of [text, text.toUpperCase(), text.toLowerCase()])
        expect(closestCode(written)).toBe(species_code);
});

test('no species is closest to a text that resembles none', () => {
  for (const text of ['', 'X', 'ZZZZ', '1234', 'Welwitschia', '🌲🌲🌲🌲', '__proto__', ' '.repeat(1000)])
    expect(closestCode(text), JSON.stringify(text)).toBeUndefined();
});

test('the closest species has the code with the fewest edits to the text, at most two, for any text', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'ACEGLPSTU'), maxLength: 8 });
  forAll(2000, [letters], (text) => {
    const proposed = closestCode(text);
    const edits = species.map(({ species_code }) => editDistance(text, species_code));
    const fewest = Math.min(...edits);
    expect(proposed).toBe(fewest <= 2 ? species[edits.indexOf(fewest)].species_code : undefined);
  });
});

test('a text of a million letters is not compared with codes letter by letter', () => {
  const text = 'PSME'.repeat(250_000);
  // Each comparison takes about a second: with 31 a lookup these would exceed the time limit of a test.
  for (let i = 0; i < 5; i++) expect(catalogue.closest(text)).toBeUndefined();
});

/** Edits between two texts: letters added, dropped, replaced, neighbours exchanged (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const distances = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 || j === 0 ? i + j : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = distances[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? distances[i - 2][j - 2] + 1
          : Number.POSITIVE_INFINITY;
      distances[i][j] = Math.min(distances[i - 1][j] + 1, distances[i][j - 1] + 1, replaced, exchanged);
    }
  }
  return distances[a.length][b.length];
}
