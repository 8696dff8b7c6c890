import Papa from 'papaparse';

/** Cells that a spreadsheet would run as a formula: numbers with a sign are none. */
const FORMULA = /^(?![-+]?\d+(\.\d+)?(e[-+]?\d+)?$)[=+\-@\t\r]/i;

/** Rows as CSV (RFC 4180). Text that a spreadsheet would run gets an apostrophe in front. */
export function csvText(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  return Papa.unparse(
    { fields: [...columns], data: rows.map((row) => columns.map((column) => row[column] ?? '')) },
    { escapeFormulae: FORMULA, newline: '\r\n' },
  );
}

/** Saves a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
