import { AsyncByteQueue } from 'apache-arrow';

/** Collects what a writer of Arrow writes, at once: the queue of the library is read asynchronously. */
export class CollectingSink extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  /** What was written since the last call. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.#chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    this.#chunks = [];
    return bytes;
  }
}
