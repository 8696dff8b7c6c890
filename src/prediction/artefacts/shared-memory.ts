/** A copy of numbers in shared memory. */
export function sharedCopy<
  Numbers extends Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Float64Array,
>(numbers: Numbers): Numbers {
  const memory = new SharedArrayBuffer(numbers.byteLength);
  const copy = new (numbers.constructor as new (memory: SharedArrayBuffer) => Numbers)(memory);
  copy.set(numbers);
  return copy;
}
