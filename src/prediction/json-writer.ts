const encoder = new TextEncoder();

/** JSON text that never changes, prepared once as bytes. */
export function fragment(json: string): Uint8Array {
  return encoder.encode(json);
}

/** Writes JSON as bytes into a buffer that grows as needed and is used again. */
export class JsonWriter {
  length = 0;
  #bytes: Uint8Array;

  constructor(capacity = 64 * 1024) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Makes room for `count` more bytes: call before writing them. */
  reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * (this.length + count));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
  }

  write(json: Uint8Array): void {
    const bytes = this.#bytes;
    let at = this.length;
    // A loop beats set() for fragments of a few dozen bytes.
    for (let i = 0; i < json.length; i++) bytes[at++] = json[i]!;
    this.length = at;
  }

  /** Writes text of ASCII characters that need no escape, such as a number's. */
  writeAscii(text: string): void {
    const bytes = this.#bytes;
    let at = this.length;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.length = at;
  }

  /** A copy of what was written, in a buffer of its own that can be transferred to another thread. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.length) as Uint8Array<ArrayBuffer>;
    this.length = 0;
    return taken;
  }
}
