import pointInPolygon from 'point-in-polygon-hao';
import { boundsOf, type Region } from '../artefacts/regions.js';

type Position = Region['polygons'][number][number][number];

/** Edge of a cell in degrees, about 1.5 by 2 km. */
const CELL_DEGREES = 0.02;

/** Values of a cell of the raster. */
const OUTSIDE = 0;
const INSIDE = 1;
/** An outline passes through the cell: its places are tested against the polygons. */
const BORDER = 2;

/**
 * Tests whether a place lies in one of the regions or on an outline. A raster decides for most places; in cells that an
 * outline passes through, the polygons do.
 */
export class Coverage {
  readonly #west: number;
  readonly #south: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #cells: Uint8Array;

  constructor(private readonly regions: readonly Region[]) {
    const { south, west, north, east } = boundsOf(...regions);
    // One more cell on every side, so that the outermost places are in the raster.
    this.#west = west - CELL_DEGREES;
    this.#south = south - CELL_DEGREES;
    this.#columns = Math.ceil((east - this.#west) / CELL_DEGREES) + 1;
    this.#rows = Math.ceil((north - this.#south) / CELL_DEGREES) + 1;
    this.#cells = new Uint8Array(this.#columns * this.#rows);
    const rings = regions.flatMap(({ polygons }) => polygons.flat());
    for (const ring of rings) for (let i = 1; i < ring.length; i++) this.#markBorder(ring[i - 1], ring[i]);
    this.#fillInside();
  }

  /** @param longitude degrees east @param latitude degrees north */
  contains(longitude: number, latitude: number): boolean {
    const column = Math.floor((longitude - this.#west) / CELL_DEGREES);
    const row = Math.floor((latitude - this.#south) / CELL_DEGREES);
    if (column < 0 || column >= this.#columns || row < 0 || row >= this.#rows) return false;
    const cell = this.#cells[row * this.#columns + column];
    return cell === BORDER ? this.#polygonsContain(longitude, latitude) : cell === INSIDE;
  }

  #polygonsContain(longitude: number, latitude: number): boolean {
    return this.regions.some(({ polygons }) =>
      polygons.some((polygon) => pointInPolygon([longitude, latitude], polygon) !== false),
    );
  }

  /** Marks the cells that an edge passes through, and some next to them, at points half a cell apart along it. */
  #markBorder([west, south]: Position, [east, north]: Position): void {
    const steps =
      Math.ceil(Math.max(Math.abs(east - west), Math.abs(north - south)) / (CELL_DEGREES / 2)) + 1;
    for (let step = 0; step <= steps; step++) {
      const longitude = west + ((east - west) * step) / steps;
      const latitude = south + ((north - south) * step) / steps;
      const column = Math.floor((longitude - this.#west) / CELL_DEGREES - 0.5);
      const row = Math.floor((latitude - this.#south) / CELL_DEGREES - 0.5);
      // These four cells contain every place within half a cell of the point, and so the edge up to the next point.
      for (const offset of [0, 1, this.#columns, this.#columns + 1]) {
        this.#cells[row * this.#columns + column + offset] = BORDER;
      }
    }
  }

  /** A cell that no outline passes through equals such a western neighbour; without one, its centre is tested. */
  #fillInside(): void {
    for (let cell = 0; cell < this.#cells.length; cell++) {
      if (this.#cells[cell] === BORDER) continue;
      const column = cell % this.#columns;
      const neighbour = column === 0 ? BORDER : this.#cells[cell - 1];
      const longitude = this.#west + (column + 0.5) * CELL_DEGREES;
      const latitude = this.#south + (Math.floor(cell / this.#columns) + 0.5) * CELL_DEGREES;
      if (neighbour !== BORDER) this.#cells[cell] = neighbour;
      else this.#cells[cell] = this.#polygonsContain(longitude, latitude) ? INSIDE : OUTSIDE;
    }
  }
}
