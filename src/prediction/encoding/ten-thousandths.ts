import { fragment, type JsonWriter } from './json-writer.js';

const ONE = 10_000;

/**
 * Probabilities and magnitudes are reported with 4 decimals, halves rounded up. As whole ten-thousandths they can be
 * compared, ranked and subtracted exactly, and the last bits in which onnxruntime's results may differ rarely show.
 * @param probability below 0 it is 0 and above 1 it is 1, which no model that keeps its contract gives
 */
export function tenThousandths(probability: number): number {
  return Math.max(0, Math.min(ONE, Math.floor(probability * ONE + 0.5)));
}

/** JSON of k ten-thousandths at index k: "0", "0.0001" ... "1", none longer than a word. */
const WORDS = new Float64Array(ONE + 1);
const LENGTHS = new Uint8Array(ONE + 1);
for (let k = 0; k <= ONE; k++) {
  const { words, length } = fragment(String(k / ONE));
  WORDS[k] = words[0];
  LENGTHS[k] = length;
}

/** Writes k ten-thousandths as a JSON number, 0 <= k <= 10,000. */
export function writeFraction(writer: JsonWriter, k: number): void {
  writer.writeWord(WORDS[k], LENGTHS[k]);
}
