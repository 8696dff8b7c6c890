import { JsonWriter, WORD_BYTES } from '../json/json-writer.js';

/** Texts of more characters are written faster by one call than one by one. */
const LONG = 24;

/** Memory beyond this is given back after large rows. */
const MAX_KEPT_BYTES = 2 ** 22;

/** Writes text as bytes into memory that grows. */
export class RowWriter extends JsonWriter {
  #memory = Buffer.alloc(0);

  start(): void {
    if (this.#memory.length > MAX_KEPT_BYTES) this.#memory = Buffer.alloc(0);
    this.begin(this.#memory);
  }

  /** Ensures that so many bytes can be written: JsonWriter does not check. */
  reserve(bytes: number): void {
    const { length } = this;
    const needed = length + bytes + WORD_BYTES;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#memory.copy(larger, 0, 0, length);
    this.#memory = larger;
    this.begin(larger);
    this.length = length;
  }

  /** Copies bytes [start, end) of others. */
  copy(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    this.length += source.copy(this.#memory, this.length, start, end);
  }

  /** Writes a text whose characters are bytes: ASCII, or UTF-8 that was read as latin1. */
  writeBytes(text: string): void {
    this.reserve(text.length);
    if (text.length > LONG) this.length += this.#memory.write(text, this.length, 'latin1');
    else for (let i = 0; i < text.length; i++) this.#memory[this.length++] = text.charCodeAt(i);
  }

  writeText(text: string): void {
    this.reserve(3 * text.length);
    this.length += this.#memory.write(text, this.length);
  }

  /** A copy of what was written. */
  written(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.subarray(0, this.length));
  }
}
