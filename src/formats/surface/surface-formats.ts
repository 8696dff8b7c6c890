import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JSON_TYPE } from '../../http/response/headers.js';
import type { Surface } from '../../http/routes/surfaces/surface.js';
import { surfaceArrow } from './surface-arrow.js';
import { surfaceCsv, surfaceGeoJson, surfaceJson } from './surface-text.js';

const ARROW_TYPE = 'application/vnd.apache.arrow.stream';

interface SurfaceFormat {
  readonly contentType: string;
  /** The bytes of a surface. */
  readonly stream: (surface: Surface) => Readable;
}

/** The formats of surfaces by their media type. */
export const SURFACE_FORMATS = {
  'application/json': streamFormat(JSON_TYPE, surfaceJson),
  'application/geo+json': streamFormat('application/geo+json', surfaceGeoJson),
  'text/csv': streamFormat('text/csv; charset=utf-8', surfaceCsv),
  [ARROW_TYPE]: streamFormat(ARROW_TYPE, surfaceArrow),
} as const satisfies Record<string, SurfaceFormat>;

export type SurfaceType = keyof typeof SURFACE_FORMATS;

/** The default first. */
export const SURFACE_TYPES = Object.keys(SURFACE_FORMATS) as [SurfaceType, ...SurfaceType[]];

/** @param parts of the bytes, each made in a millisecond or two, when the caller has read those before */
function streamFormat(
  contentType: string,
  parts: (surface: Surface) => Generator<Uint8Array>,
): SurfaceFormat {
  const stream = (surface: Surface) => Readable.from(inTurns(parts(surface)), { objectMode: false });
  return { contentType, stream };
}

/** Makes each part in a turn of the event loop of its own. */
async function* inTurns<Part>(parts: Iterable<Part>): AsyncGenerator<Part> {
  for (const part of parts) {
    yield part;
    await nextTurn();
  }
}
