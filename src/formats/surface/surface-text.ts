import { type Surface, surfaceFields } from '../../http/routes/surfaces/surface.js';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { csvCell } from '../csv/quoted-cell.js';
import { fragment, JsonWriter } from '../json/json-writer.js';
import { type SurfaceColumn, surfaceColumns } from './surface-columns.js';

/** Bytes of a part of a text: what is written in one go. */
const PART_BYTES = 64 * 1024;
/** More than what is written between two checks of `isFull`. */
const MARGIN_BYTES = 4096;

const COORDINATE_DECIMALS = 5;
const COORDINATE_SCALE = 10 ** COORDINATE_DECIMALS;
const FLAGS = [fragment('false'), fragment('true')];
const COMMA = fragment(',');

/** Writes a text in parts. */
class PartWriter extends JsonWriter {
  readonly #memory = new Uint8Array(PART_BYTES + MARGIN_BYTES);

  constructor() {
    super();
    this.begin(this.#memory);
  }

  /** Whether `take` must be called before more is written. */
  get isFull(): boolean {
    return this.length >= PART_BYTES;
  }

  /** What was written since the last time. */
  take(): Buffer {
    const part = Buffer.from(this.#memory.subarray(0, this.length));
    this.begin(this.#memory);
    return part;
  }

  writeText(text: string): void {
    this.write(fragment(text));
  }
}

/** What writes the value of a column at a position. @param quote how the format writes a text */
function valueWriter(
  { kind, texts = [], value }: SurfaceColumn,
  writer: PartWriter,
  quote: (text: string) => string,
): (position: number) => void {
  switch (kind) {
    case 'degrees':
      return (position) =>
        writer.writeDecimal(Math.round(value(position) * COORDINATE_SCALE), COORDINATE_DECIMALS);
    case 'number':
      return (position) => writer.writeNumber(value(position));
    case 'flag':
      return (position) => writer.write(FLAGS[value(position)]);
    case 'probability':
      return (position) => writer.writeTenThousandths(value(position));
    case 'text': {
      const fragments = texts.map((text) => fragment(quote(text)));
      return (position) => writer.write(fragments[value(position)]);
    }
  }
}

/** A surface as CSV (RFC 4180) with a header line, in parts. */
export function* surfaceCsv(surface: Surface): Generator<Uint8Array> {
  const writer = new PartWriter();
  const columns = surfaceColumns(surface);
  const values = columns.map((column) => valueWriter(column, writer, csvCell));
  const lineEnd = fragment('\r\n');
  writer.writeText(`${columns.map(({ name }) => name).join()}\r\n`);
  for (let position = 0; position < surface.points.length; position++) {
    for (let column = 0; column < values.length; column++) {
      if (column > 0) writer.write(COMMA);
      values[column](position);
    }
    writer.write(lineEnd);
    if (writer.isFull) yield writer.take();
  }
  yield writer.take();
}

/** A surface as a GeoJSON FeatureCollection of points (RFC 7946), in parts. */
export function* surfaceGeoJson(surface: Surface): Generator<Uint8Array> {
  const writer = new PartWriter();
  const [longitude, latitude, ...properties] = surfaceColumns(surface).map((column, index) => {
    const isProperty = index > 1;
    const before = isProperty ? fragment(`${index > 2 ? ',' : ''}${JSON.stringify(column.name)}:`) : COMMA;
    return { before, write: valueWriter(column, writer, JSON.stringify) };
  });
  const open = fragment('{"type":"Feature","geometry":{"type":"Point","coordinates":[');
  const middle = fragment(']},"properties":{');
  const close = fragment('}}');
  const head = {
    type: 'FeatureCollection',
    ...surfaceFields(surface),
    model: modelOf(surface.artefacts.manifest),
  };
  writer.writeText(`${JSON.stringify(head).slice(0, -1)},"features":[`);
  for (let position = 0; position < surface.points.length; position++) {
    if (position > 0) writer.write(COMMA);
    writer.write(open);
    longitude.write(position);
    writer.write(latitude.before);
    latitude.write(position);
    writer.write(middle);
    for (const { before, write } of properties) {
      writer.write(before);
      write(position);
    }
    writer.write(close);
    if (writer.isFull) yield writer.take();
  }
  writer.writeText(']}');
  yield writer.take();
}

/** A surface as a JSON object of columns, in parts. */
export function* surfaceJson(surface: Surface): Generator<Uint8Array> {
  const writer = new PartWriter();
  const columns = surfaceColumns(surface);
  function* array(name: string, column: SurfaceColumn): Generator<Uint8Array> {
    const write = valueWriter(column, writer, JSON.stringify);
    writer.writeText(`"${name}":[`);
    for (let position = 0; position < surface.points.length; position++) {
      if (position > 0) writer.write(COMMA);
      write(position);
      if (writer.isFull) yield writer.take();
    }
    writer.writeText(']');
  }
  writer.writeText(`${JSON.stringify(surfaceFields(surface)).slice(0, -1)},`);
  for (const column of columns.filter(({ kind }) => kind !== 'probability')) {
    yield* array(column.name, column);
    writer.write(COMMA);
  }
  const probabilities = columns.filter(({ kind }) => kind === 'probability');
  writer.writeText('"survival":{');
  for (const [m, method] of PLANTING_METHODS.entries()) {
    writer.writeText(`${m === 0 ? '' : ','}"${method}":{`);
    for (const [h, years] of HORIZONS.entries()) {
      if (h > 0) writer.write(COMMA);
      yield* array(String(years), probabilities[m * HORIZONS.length + h]);
    }
    writer.writeText('}');
  }
  writer.writeText(`},"model":${JSON.stringify(modelOf(surface.artefacts.manifest))}}`);
  yield writer.take();
}
