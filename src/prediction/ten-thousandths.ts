/**
 * Probabilities and magnitudes are reported with 4 decimals. Rounded to whole ten-thousandths they can be compared,
 * ranked and subtracted exactly, and the last bits in which onnxruntime's results may differ do not show.
 */
export function tenThousandths(probability: number): number {
  return Math.round(probability * 10_000);
}

const ONE = 10_000;
const encoder = new TextEncoder();

/** JSON of k ten-thousandths, at index k, for k from 0 to 10,000: "0", "0.0001", ... "1". */
const FRACTIONS: readonly Uint8Array[] = Array.from({ length: ONE + 1 }, (_, k) =>
  encoder.encode(String(k / ONE)),
);

/** The JSON number of k ten-thousandths, 0 <= k <= 10,000, as bytes. */
export function fractionJson(k: number): Uint8Array {
  return FRACTIONS[k]!;
}
