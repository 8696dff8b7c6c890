import { fragment } from '../../prediction/encoding/json-writer.js';
import { SURVIVAL_COLUMNS, type Surface } from './surface.js';
import { PartWriter, SurfaceValues } from './text-columns.js';

const HEADER = ['longitude', 'latitude', 'elevation_m', 'region', 'in_native_range', ...SURVIVAL_COLUMNS];
const COMMA = fragment(',');
const LINE_END = fragment('\r\n');

/** A surface as CSV (RFC 4180) with a header line, in parts. */
export function* surfaceCsv(surface: Surface): Generator<Uint8Array> {
  const writer = new PartWriter();
  const values = new SurfaceValues(surface, writer, quoted);
  writer.write(fragment(`${HEADER.join()}\r\n`));
  for (let i = 0; i < surface.points.length; i++) {
    values.longitude(i);
    writer.write(COMMA);
    values.latitude(i);
    writer.write(COMMA);
    values.elevation(i);
    writer.write(COMMA);
    values.region(i);
    writer.write(COMMA);
    values.inNativeRange(i);
    for (let column = 0; column < SURVIVAL_COLUMNS.length; column++) {
      writer.write(COMMA);
      values.survival(i, column);
    }
    writer.write(LINE_END);
    if (writer.isFull) yield writer.take();
  }
  yield writer.take();
}

/** A text, in quotation marks where it needs them. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
