import { modelOf } from '../../prediction/artefacts/manifest.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { fragment } from '../../prediction/encoding/json-writer.js';
import { type Surface, spacingKm } from './surface.js';
import { PartWriter, SurfaceValues } from './text-columns.js';

const COMMA = fragment(',');

/** What a surface says of itself, as the first fields of its JSON. */
export function surfaceFields({ artefacts, species, points, step }: Surface) {
  const { species_code, common_name } = artefacts.species[species];
  return {
    species_code,
    species_common_name: common_name,
    horizons: HORIZONS,
    points: points.length,
    spacing_km: spacingKm({ artefacts, step }),
  };
}

/** A surface as a JSON object of columns, in parts. */
export function* surfaceJson(surface: Surface): Generator<Uint8Array> {
  const writer = new PartWriter();
  const values = new SurfaceValues(surface, writer, JSON.stringify);
  const count = surface.points.length;
  const text = (json: string) => writer.write(fragment(json));
  function* column(name: string, write: (i: number) => void): Generator<Uint8Array> {
    text(`"${name}":[`);
    for (let i = 0; i < count; i++) {
      if (i > 0) writer.write(COMMA);
      write(i);
      if (writer.isFull) yield writer.take();
    }
    text(']');
  }
  text(`${JSON.stringify(surfaceFields(surface)).slice(0, -1)},`);
  for (const [name, write] of [
    ['longitude', (i: number) => values.longitude(i)],
    ['latitude', (i: number) => values.latitude(i)],
    ['elevation_m', (i: number) => values.elevation(i)],
    ['region', (i: number) => values.region(i)],
    ['in_native_range', (i: number) => values.inNativeRange(i)],
  ] as const) {
    yield* column(name, write);
    text(',');
  }
  text('"survival":{');
  for (const [method, name] of PLANTING_METHODS.entries()) {
    text(`${method === 0 ? '' : ','}"${name}":{`);
    for (const [h, years] of HORIZONS.entries()) {
      if (h > 0) text(',');
      const survival = method * HORIZONS.length + h;
      yield* column(String(years), (i) => values.survival(i, survival));
    }
    text('}');
  }
  text(`},"model":${JSON.stringify(modelOf(surface.artefacts.manifest))}}`);
  yield writer.take();
}
