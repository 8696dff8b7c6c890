import {
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Float32,
  Float64,
  Int32,
  Int64,
  LargeUtf8,
  Null,
  Table,
  TimestampMicrosecond,
  tableToIPC,
  Utf8,
  Utf8View,
  vectorFromArray,
} from 'apache-arrow';
import type { TableFormat } from '../../../../src/formats/table/table-request.js';
import { writePlainCsv } from './plain-csv.js';
import type { SampleRow } from './samples.js';

/** Rows as the body of a table. */
export function bodyOf(format: TableFormat, rows: readonly SampleRow[]): Buffer {
  if (format === 'arrow') return arrowOf(siteColumns(rows));
  if (format === 'ndjson') return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const texts = rows.map((row) => Object.values(row).map((value) => (value === null ? '' : String(value))));
  return Buffer.from(writePlainCsv([Object.keys(rows[0]), ...texts]));
}

/** A column of Arrow. */
export type Column = readonly [type: DataType, values: readonly unknown[]];

/** An Arrow stream of columns by their name. */
export function arrowOf(columns: Readonly<Record<string, Column>>): Buffer {
  const vectors = Object.entries(columns).map(([name, [type, values]]) => [
    name,
    vectorFromArray(values, type),
  ]);
  return Buffer.from(tableToIPC(new Table(Object.fromEntries(vectors)), 'stream'));
}

export function siteColumns(rows: readonly SampleRow[]): Record<string, Column> {
  const column = <Name extends keyof SampleRow>(name: Name) => rows.map((row) => row[name]);
  return {
    plot: [new Utf8(), column('plot')],
    latitude: [new Float64(), column('latitude')],
    longitude: [new Float64(), column('longitude')],
    species_code: [new Dictionary(new Utf8(), new Int32()), column('species_code')],
    planting_method: [new Utf8(), column('planting_method')],
    elevation_m: [new Float64(), column('elevation_m')],
  };
}

/** The same rows with columns of many types, and with nulls. */
export function arrowOfManyTypes(rows: readonly SampleRow[]): Buffer {
  const every = <Value>(value: (row: number) => Value) =>
    rows.map((_, row) => (row % 3 === 1 ? null : value(row)));
  return arrowOf({
    ...siteColumns(rows),
    int: [new Int64(), every((row) => BigInt(row) * 10n ** 15n)],
    float: [new Float32(), every((row) => row / 3)],
    flag: [new Bool(), every((row) => row % 2 === 0)],
    large: [new LargeUtf8(), every((row) => `é,"${row}"`)],
    view: [new Utf8View(), every((row) => 'é'.repeat(row % 9))],
    decimal: [new Decimal(3, 20, 128), every((row) => Uint32Array.of(row, 0, 0, 0))],
    date: [new DateDay(), every((row) => new Date(row * 86_400_000))],
    time: [new TimestampMicrosecond(), every((row) => row * 1000)],
    nothing: [new Null(), rows.map(() => null)],
  });
}
