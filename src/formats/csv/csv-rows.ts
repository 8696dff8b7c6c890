/** The characters of a field without quotes, and what may follow the quote that closes one. */
const UNQUOTED = /[^,\n]*/y;
const SPACES = /[^\S\n]*/y;

/**
 * Reads the rows of a CSV text (RFC 4180; LF or CRLF). Spaces after a closing quote are left out.
 * @param onRow receives the cells of a row, and where it starts and ends in the text
 * @param wrongQuote makes the error for the quote at an offset, which text of its field follows
 * @returns where the row starts that has a quote that is not closed; the length of the text if none has
 */
export function readRows(
  text: string,
  onRow: (cells: string[], start: number, end: number) => void,
  wrongQuote: (offset: number) => Error,
): number {
  let at = 0;
  while (at < text.length) {
    const start = at;
    const cells: string[] = [];
    let end: number;
    do {
      if (text[at] === '"') {
        const quote = closingQuote(text, at + 1);
        if (quote === -1) return start;
        end = endOf(SPACES, text, quote + 1);
        if (end < text.length && text[end] !== ',' && text[end] !== '\n') throw wrongQuote(quote);
        cells.push(text.slice(at + 1, quote).replaceAll('""', '"'));
      } else {
        end = endOf(UNQUOTED, text, at);
        const cell = text.slice(at, end);
        cells.push(text[end] !== ',' && cell.endsWith('\r') ? cell.slice(0, -1) : cell);
      }
      at = end + 1;
    } while (text[end] === ',');
    onRow(cells, start, Math.min(at, text.length));
  }
  return text.length;
}

/** The quote that closes a field whose text starts at an offset; -1 if none does. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}

/** Where the characters of a sticky pattern end, from an offset on. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return pattern.lastIndex;
}
