type Cell = string | number | boolean | null;

/** The sizes that the header of a .dbf file states. */
export function tableSize({ buffer, byteOffset }: Uint8Array) {
  const header = new DataView(buffer, byteOffset);
  return {
    rows: header.getUint32(4, true),
    headerBytes: header.getUint16(8, true),
    rowBytes: header.getUint16(10, true),
  };
}

/**
 * The rows of a .dbf file of dBASE or FoxPro, in the order of the shapes; null for a deleted row.
 * @param cpg the text of the .cpg file, which names the encoding; UTF-8 if it names none that is known
 */
export function readDbf(bytes: Uint8Array, cpg: string): (Record<string, Cell> | null)[] {
  const { rows, headerBytes, rowBytes } = tableSize(bytes);
  const decoder = decoderOf(cpg.trim());
  const textAt = (start: number, width: number) =>
    decoder
      .decode(bytes.subarray(start, start + width))
      .replace(/\0.*/s, '')
      .trim();
  const columns: { name: string; type: string; start: number; width: number }[] = [];
  let start = 1; // after the mark of deletion
  for (let at = 32; at + 32 <= headerBytes && bytes[at] !== 0x0d; at += 32) {
    const width = bytes[at + 16]!;
    columns.push({ name: textAt(at, 11), type: String.fromCharCode(bytes[at + 11]!), start, width });
    start += width;
  }
  return Array.from({ length: rows }, (_, index) => {
    const row = headerBytes + index * rowBytes;
    if (bytes[row] === 0x2a) return null;
    return Object.fromEntries(
      columns.map((column) => [column.name, cellOf(textAt(row + column.start, column.width), column.type)]),
    );
  });
}

/** A number, or its text if that is an integer that a double may not hold, such as an id. */
export const numberOrDigits = (number: number, text: string) =>
  /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? text : number;

/** A cell as its type says; null if it is blank or cannot be read so. */
function cellOf(text: string, type: string): Cell {
  switch (type) {
    case 'N':
    case 'F': {
      const number = Number.parseFloat(text);
      return Number.isNaN(number) ? null : numberOrDigits(number, text);
    }
    case 'L':
      return /^[ty]/i.test(text) ? true : /^[fn]/i.test(text) ? false : null;
    case 'D':
      return /^[1-9]\d{7}$/.test(text) ? text.replace(/(..)(..)$/, '-$1-$2') : null;
    default:
      return text;
  }
}

/** @param name of an encoding, or of a code page, such as "ANSI 1252" */
function decoderOf(name: string): TextDecoder {
  for (const label of [name, name.replace(/^(ANSI )?(?=\d+$)/, 'windows-')])
    try {
      return new TextDecoder(label);
    } catch {
      // unknown
    }
  return new TextDecoder();
}
