import { DataType, tableFromIPC } from 'apache-arrow';
import type { TableFormat } from '../../../../src/formats/table/table-request.js';
import { parsePlainCsv } from './plain-csv.js';

export type AnswerRow = Readonly<Record<string, unknown>>;

/** The rows of an answer by column; of CSV, texts. Numbers of Arrow that have 4 decimals are rounded to them. */
export function readAnswer(answer: Buffer, format: TableFormat): AnswerRow[] {
  if (format === 'ndjson')
    return answer
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  if (format === 'csv') {
    const [names, ...rows] = parsePlainCsv(answer.toString());
    if (rows.some(({ length }) => length !== names.length)) throw new Error('a row has another length');
    return rows.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column]])));
  }
  const table = tableFromIPC(answer);
  const columns = table.schema.fields.map(({ name, type }) => {
    const isFloat32 = DataType.isFloat(type) && type.precision === 1;
    const values = [...table.getChild(name)!].map((value) =>
      isFloat32 && value !== null ? Math.round(value * 10_000) / 10_000 : value,
    );
    return [name, values] as const;
  });
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row]])),
  );
}
