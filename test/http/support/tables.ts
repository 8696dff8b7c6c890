import type { Socket } from 'node:net';
import Papa from 'papaparse';
import { openSocket } from '../../support/raw-http.js';
import type { TestService } from '../../support/service.js';

export const TABLE_PATH = '/v1/predict/table';

export type CsvRow = Readonly<Record<string, string>>;

/** Rows as CSV; the first one has all columns. */
export function csvOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  return `${Papa.unparse([...rows], { newline: '\n' })}\n`;
}

/** The rows of a CSV answer by their columns, all texts. */
export function readCsv(text: string): CsvRow[] {
  const { data, errors } = Papa.parse<CsvRow>(text, { header: true, skipEmptyLines: true });
  if (errors.length > 0) throw new Error(JSON.stringify(errors[0]));
  return data;
}

/** Sends a table, as CSV unless other headers say otherwise. */
export function postTable(
  service: TestService,
  body: string | Uint8Array,
  query = '',
  headers: Record<string, string> = {},
): Promise<Response> {
  return service.post(TABLE_PATH + query, body, { 'content-type': 'text/csv', ...headers });
}

/** A service and a key of it. */
export type TableSender = Pick<TestService, 'apiUrl' | 'key'>;

/** Sends the head of a table with the headers of CSV and these, on a connection that the caller would keep. */
export async function startTable(
  { apiUrl, key }: TableSender,
  headers: readonly string[],
  query = '',
): Promise<Socket> {
  const socket = await openSocket(apiUrl);
  socket.on('error', () => {});
  const fields = ['Host: test', `X-API-Key: ${key}`, 'Content-Type: text/csv', ...headers];
  socket.write(`POST ${TABLE_PATH}${query} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  return socket;
}
