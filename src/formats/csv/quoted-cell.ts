/** A cell with any of these is quoted. */
const TO_QUOTE = /[",\r\n]/;

/** A cell as CSV: quoted where it must be. */
export function csvCell(text: string): string {
  return TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
