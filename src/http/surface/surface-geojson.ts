import { modelOf } from '../../prediction/artefacts/manifest.js';
import { fragment } from '../../prediction/encoding/json-writer.js';
import { SURVIVAL_COLUMNS, type Surface } from './surface.js';
import { surfaceFields } from './surface-json.js';
import { PartWriter, SurfaceValues } from './text-columns.js';

const OPEN = fragment('{"type":"Feature","geometry":{"type":"Point","coordinates":[');
const COMMA = fragment(',');
const ELEVATION = fragment(']},"properties":{"elevation_m":');
const REGION = fragment(',"region":');
const NATIVE = fragment(',"in_native_range":');
const SURVIVAL = SURVIVAL_COLUMNS.map((name) => fragment(`,"${name}":`));
const CLOSE = fragment('}}');

/** A surface as a GeoJSON FeatureCollection of points (RFC 7946), in parts. */
export function* surfaceGeoJson(surface: Surface): Generator<Uint8Array> {
  const writer = new PartWriter();
  const values = new SurfaceValues(surface, writer, JSON.stringify);
  const head = {
    type: 'FeatureCollection',
    ...surfaceFields(surface),
    model: modelOf(surface.artefacts.manifest),
  };
  writer.write(fragment(`${JSON.stringify(head).slice(0, -1)},"features":[`));
  for (let i = 0; i < surface.points.length; i++) {
    if (i > 0) writer.write(COMMA);
    writer.write(OPEN);
    values.longitude(i);
    writer.write(COMMA);
    values.latitude(i);
    writer.write(ELEVATION);
    values.elevation(i);
    writer.write(REGION);
    values.region(i);
    writer.write(NATIVE);
    values.inNativeRange(i);
    for (let column = 0; column < SURVIVAL.length; column++) {
      writer.write(SURVIVAL[column]);
      values.survival(i, column);
    }
    writer.write(CLOSE);
    if (writer.isFull) yield writer.take();
  }
  writer.write(fragment(']}'));
  yield writer.take();
}
