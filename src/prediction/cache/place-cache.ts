import { type JsonWriter, WORD_BYTES } from '../encoding/json-writer.js';
import { SlotTable } from './slot-table.js';

/** Layout of the content, float64: grid point, distance in km, bytes of JSON; then the JSON in words. */
const POINT = 0;
const DISTANCE = 1;
const LENGTH = 2;
const JSON_START = 3;
/** Makes a slot of 256 bytes, with room for 216 of JSON: a site takes 190 at most, for regions such as US-OR. */
const CONTENT_WORDS = 30;
const MAX_JSON_BYTES = (CONTENT_WORDS - JSON_START) * WORD_BYTES;

/** A bounded cache of what was found out of places: their grid point and the JSON of their site. */
export class PlaceCache {
  readonly #table: SlotTable;

  /** @param maxBytes memory it may take; 0 keeps nothing */
  constructor(maxBytes: number) {
    this.#table = new SlotTable(maxBytes, CONTENT_WORDS);
  }

  /** @returns a place's entry, for the methods below, or -1 */
  find(longitude: number, latitude: number): number {
    return this.#table.find(longitude, latitude);
  }

  pointOf(entry: number): number {
    return this.#table.words[entry + POINT];
  }

  distanceKmOf(entry: number): number {
    return this.#table.words[entry + DISTANCE];
  }

  /** Writes the JSON of an entry's site. */
  write(writer: JsonWriter, entry: number): void {
    const { words } = this.#table;
    writer.writeWords(words, entry + JSON_START, words[entry + LENGTH]);
  }

  /** Keeps a place that is not at hand; the JSON of its site is what was written last, from `start` on. */
  keep(
    longitude: number,
    latitude: number,
    point: number,
    distanceKm: number,
    writer: JsonWriter,
    start: number,
  ): void {
    const length = writer.length - start;
    if (length > MAX_JSON_BYTES) return;
    const entry = this.#table.claim(longitude, latitude);
    if (entry === -1) return;
    const { words } = this.#table;
    words[entry + POINT] = point;
    words[entry + DISTANCE] = distanceKm;
    words[entry + LENGTH] = length;
    writer.readWords(start, words, entry + JSON_START);
  }
}
