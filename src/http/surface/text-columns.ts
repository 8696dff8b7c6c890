import { valueAt } from '../../prediction/artefacts/shared-grid.js';
import { type Fragment, fragment, JsonWriter } from '../../prediction/encoding/json-writer.js';
import type { Surface } from './surface.js';

/** Bytes of a part of a text: what is written in one go. */
const PART_BYTES = 64 * 1024;
/** More than what is written between two checks of `isFull`. */
const MARGIN_BYTES = 4096;

const COORDINATE_DECIMALS = 5;
const COORDINATE_SCALE = 10 ** COORDINATE_DECIMALS;
const BOOLEANS = [fragment('false'), fragment('true')];

/** Writes a text in parts. */
export class PartWriter extends JsonWriter {
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
}

/** Writes the values of a surface by their position in it. */
export class SurfaceValues {
  readonly #regions: readonly Fragment[];

  /** @param writeRegion how the format writes a text */
  constructor(
    private readonly surface: Surface,
    private readonly writer: PartWriter,
    writeRegion: (region: string) => string,
  ) {
    this.#regions = surface.artefacts.grid.regions.map((region) => fragment(writeRegion(region)));
  }

  longitude(i: number): void {
    const { longitudes, column } = this.surface.artefacts.grid.index;
    this.#coordinate(longitudes[column[this.surface.points[i]]]);
  }

  latitude(i: number): void {
    const { latitudes, row } = this.surface.artefacts.grid.index;
    this.#coordinate(latitudes[row[this.surface.points[i]]]);
  }

  elevation(i: number): void {
    const { points, artefacts } = this.surface;
    this.writer.writeNumber(valueAt(artefacts.grid.columns.elevation, points[i]));
  }

  region(i: number): void {
    this.writer.write(this.#regions[this.surface.artefacts.grid.region[this.surface.points[i]]]);
  }

  inNativeRange(i: number): void {
    this.writer.write(BOOLEANS[isNative(this.surface, i)]);
  }

  /** @param column index into SURVIVAL_COLUMNS */
  survival(i: number, column: number): void {
    const { survival, points } = this.surface;
    this.writer.writeTenThousandths(survival[column * points.length + i]);
  }

  #coordinate(degrees: number): void {
    this.writer.writeDecimal(Math.round(degrees * COORDINATE_SCALE), COORDINATE_DECIMALS);
  }
}

/** 1 where a point of a surface is in the native range of its species, else 0. */
export function isNative({ artefacts: { grid }, points, species }: Surface, i: number): 0 | 1 {
  return ((grid.nativeRanges[points[i]] >>> species) & 1) as 0 | 1;
}
