import Papa from 'papaparse';

/** Cells that a spreadsheet would run as a formula; numbers with a sign are not formulas. */
const FORMULA = /^(?![-+]?\d+(\.\d+)?(e[-+]?\d+)?$)[=+\-@\t\r]/i;

/**
 * The same after a semicolon, a tab or a line break: spreadsheets that separate cells by semicolons or tabs begin another
 * cell there.
 */
const LATER_FORMULA = /([;\t\r\n])(?=["\s]*[=+\-@])/g;
const defuse = <Value>(value: Value) =>
  typeof value === 'string' ? value.replaceAll(LATER_FORMULA, "$1'") : value;

/**
 * Rows as CSV (RFC 4180), with a byte order mark, without which Excel does not read UTF-8. Text that a spreadsheet would
 * run gets an apostrophe in front, names of columns too.
 */
export function csvText(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const cells = {
    fields: columns.map(defuse),
    data: rows.map((row) =>
      columns.map((column) => (Object.hasOwn(row, column) ? defuse(row[column] ?? '') : '')),
    ),
  };
  const quotes = (value: unknown) => /[;\t]/.test(String(value));
  return `\uFEFF${Papa.unparse(cells, { escapeFormulae: FORMULA, newline: '\r\n', quotes })}`;
}

/** Saves a file. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Later, because the browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
