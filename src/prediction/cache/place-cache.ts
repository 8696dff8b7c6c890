import { type JsonWriter, WORD_BYTES } from '../../formats/json/json-writer.js';
import { SlotTable } from './slot-table.js';

/** Layout of a slot's content, float64: grid point, distance in km, bytes of JSON; then the JSON in words. */
const POINT = 0;
const DISTANCE = 1;
const LENGTH = 2;
const JSON_START = 3;
/** A slot with its key is 256 bytes, 216 of them for JSON: a site takes at most 190 with a region code like US-OR. */
const CONTENT_WORDS = 30;
const MAX_JSON_BYTES = (CONTENT_WORDS - JSON_START) * WORD_BYTES;

/** A bounded cache of matched places: their grid point, its distance and the JSON of their site. */
export class PlaceCache {
  readonly #table: SlotTable;

  /** @param maxBytes limit of its memory; 0 disables it */
  constructor(maxBytes: number) {
    this.#table = new SlotTable(maxBytes, CONTENT_WORDS);
  }

  /** @returns a place's entry, for the methods below, or -1. It is valid until the next `keep`. */
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

  /** Caches a place that is not cached; the JSON of its site is what the writer wrote since position `start`. */
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
