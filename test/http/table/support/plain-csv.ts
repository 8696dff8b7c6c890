/** Parses CSV character by character, as RFC 4180 has it. @returns the rows, the header included */
export function parsePlainCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') cell += text[++i];
      else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === ',' || character === '\n') {
      row.push(character === '\n' && cell.endsWith('\r') && text[i - 1] === '\r' ? cell.slice(0, -1) : cell);
      cell = '';
      if (character === '\n') {
        rows.push(row);
        row = [];
      }
    } else cell += character;
  }
  return rows;
}

/** Writes CSV with every cell quoted, or only those that must be. */
export function writePlainCsv(
  rows: readonly (readonly string[])[],
  lineEnd = '\n',
  quoteAll = false,
): string {
  const quoted = (cell: string) =>
    quoteAll || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return rows.map((row) => row.map(quoted).join(',') + lineEnd).join('');
}
