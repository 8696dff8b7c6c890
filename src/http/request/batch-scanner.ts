import type { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { ALL_HORIZONS, HORIZONS, type Horizon, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { ByteScanner, UNUSUAL, wordNumber } from './byte-scanner.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from './schemas.js';

const OPEN_OBJECT = '{'.charCodeAt(0);
const CLOSE_OBJECT = '}'.charCodeAt(0);
const OPEN_LIST = '['.charCodeAt(0);
const CLOSE_LIST = ']'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);

const REQUESTS = Buffer.from('"requests"');
const METHODS = PLANTING_METHODS.map((method) => Buffer.from(`"${method}"`));

/** The fields of an entry; the bits of those seen are a set, and the first four must be. */
const FIELDS = ['latitude', 'longitude', 'species_code', 'planting_method', 'horizons'] as const;
const FIELD_NAMES = FIELDS.map((name) => Buffer.from(`"${name}"`));
const REQUIRED_FIELDS = 0b01111;

/** No entry that fits takes fewer bytes: its field names alone take more. */
const SHORTEST_ENTRY_BYTES = 60;

/**
 * Reads the body of a batch from its bytes straight into columns, where it is plain: every entry fits, with each field
 * once, and nothing else in it. Any other body, right or wrong, is left to parseJson and the schemas, which say what
 * it is. What is read here they would read the same.
 */
export class BatchScanner {
  /** Index of each species, by the `wordNumber` of its code. */
  readonly #codes: ReadonlyMap<number, number>;
  /** Columns that are used again for every body. */
  #rows = new SiteRows(0);

  constructor(species: SpeciesCatalogue) {
    this.#codes = new Map(species.list.map(({ species_code }, index) => [wordNumber(species_code), index]));
  }

  /** @returns the entries as rows, or nothing where the body is not plain */
  scan(body: Buffer): SiteRows | undefined {
    const capacity = Math.ceil(body.length / SHORTEST_ENTRY_BYTES);
    if (this.#rows.count < capacity) this.#rows = new SiteRows(capacity);
    try {
      return this.#rows.first(this.#scanBody(new ByteScanner(body)));
    } catch (error) {
      if (error === UNUSUAL) return undefined;
      throw error;
    }
  }

  /** @returns the number of entries */
  #scanBody(scanner: ByteScanner): number {
    scanner.expect(OPEN_OBJECT);
    if (!scanner.skipText(REQUESTS)) throw UNUSUAL;
    scanner.expect(COLON);
    scanner.expect(OPEN_LIST);
    let count = 0;
    if (!scanner.skip(CLOSE_LIST)) {
      do this.#scanEntry(scanner, count++);
      while (scanner.skip(COMMA));
      scanner.expect(CLOSE_LIST);
    }
    scanner.expect(CLOSE_OBJECT);
    scanner.end();
    return count;
  }

  #scanEntry(scanner: ByteScanner, row: number): void {
    scanner.expect(OPEN_OBJECT);
    this.#rows.horizons[row] = ALL_HORIZONS;
    let seen = 0;
    let expected = 0;
    do {
      const field = fieldOf(scanner, expected);
      const bit = 1 << field;
      if ((seen & bit) !== 0) throw UNUSUAL;
      seen |= bit;
      expected = field + 1;
      scanner.expect(COLON);
      this.#scanField(scanner, FIELDS[field], row);
    } while (scanner.skip(COMMA));
    scanner.expect(CLOSE_OBJECT);
    if ((seen & REQUIRED_FIELDS) !== REQUIRED_FIELDS) throw UNUSUAL;
  }

  #scanField(scanner: ByteScanner, field: (typeof FIELDS)[number], row: number): void {
    switch (field) {
      case 'latitude':
        this.#rows.latitude[row] = degrees(scanner, MAX_LATITUDE);
        return;
      case 'longitude':
        this.#rows.longitude[row] = degrees(scanner, MAX_LONGITUDE);
        return;
      case 'species_code':
        this.#rows.species[row] = this.#species(scanner);
        return;
      case 'planting_method':
        this.#rows.method[row] = method(scanner);
        return;
      case 'horizons':
        this.#rows.horizons[row] = horizons(scanner);
    }
  }

  #species(scanner: ByteScanner): number {
    const index = this.#codes.get(scanner.word());
    if (index === undefined) throw UNUSUAL;
    return index;
  }
}

/** Takes the name of a field. @param expected where to look first: callers keep to an order @returns its index */
function fieldOf(scanner: ByteScanner, expected: number): number {
  for (let i = 0; i < FIELD_NAMES.length; i++) {
    const field = (expected + i) % FIELD_NAMES.length;
    if (scanner.skipText(FIELD_NAMES[field])) return field;
  }
  throw UNUSUAL;
}

function degrees(scanner: ByteScanner, limit: number): number {
  const value = scanner.number();
  if (Math.abs(value) > limit) throw UNUSUAL;
  return value;
}

function method(scanner: ByteScanner): number {
  for (let index = 0; index < METHODS.length; index++) if (scanner.skipText(METHODS[index])) return index;
  throw UNUSUAL;
}

function horizons(scanner: ByteScanner): number {
  let set = 0;
  scanner.expect(OPEN_LIST);
  do {
    const horizon = HORIZONS.indexOf(scanner.number() as Horizon);
    if (horizon === -1) throw UNUSUAL;
    set |= 1 << horizon;
  } while (scanner.skip(COMMA));
  scanner.expect(CLOSE_LIST);
  return set;
}
