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

export type Coverage = ReturnType<typeof regionCoverage>;

/**
 * Tests whether a place lies in one of the regions or on an outline. A raster decides for most places; in cells that an
 * outline passes through, the polygons do.
 */
export function regionCoverage(regions: readonly Region[]) {
  const bounds = boundsOf(...regions);
  // One more cell on every side, so that the outermost places are in the raster.
  const west = bounds.west - CELL_DEGREES;
  const south = bounds.south - CELL_DEGREES;
  const columns = Math.ceil((bounds.east - west) / CELL_DEGREES) + 1;
  const rows = Math.ceil((bounds.north - south) / CELL_DEGREES) + 1;
  const cells = new Uint8Array(columns * rows);
  const rings = regions.flatMap(({ polygons }) => polygons.flat());
  for (const ring of rings) for (let i = 1; i < ring.length; i++) markBorder(ring[i - 1], ring[i]);
  fillInside();
  return { contains };

  /** @param longitude degrees east @param latitude degrees north */
  function contains(longitude: number, latitude: number): boolean {
    const column = Math.floor((longitude - west) / CELL_DEGREES);
    const row = Math.floor((latitude - south) / CELL_DEGREES);
    if (column < 0 || column >= columns || row < 0 || row >= rows) return false;
    const cell = cells[row * columns + column];
    return cell === BORDER ? polygonsContain(longitude, latitude) : cell === INSIDE;
  }

  function polygonsContain(longitude: number, latitude: number): boolean {
    return regions.some(({ polygons }) =>
      polygons.some((polygon) => pointInPolygon([longitude, latitude], polygon) !== false),
    );
  }

  /** Marks the cells that an edge passes through, and some next to them, at points half a cell apart along it. */
  function markBorder([x1, y1]: Position, [x2, y2]: Position): void {
    const steps = Math.ceil(Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1)) / (CELL_DEGREES / 2)) + 1;
    for (let step = 0; step <= steps; step++) {
      const longitude = x1 + ((x2 - x1) * step) / steps;
      const latitude = y1 + ((y2 - y1) * step) / steps;
      const column = Math.floor((longitude - west) / CELL_DEGREES - 0.5);
      const row = Math.floor((latitude - south) / CELL_DEGREES - 0.5);
      // These four cells contain every place within half a cell of the point, and so the edge up to the next point.
      for (const offset of [0, 1, columns, columns + 1]) cells[row * columns + column + offset] = BORDER;
    }
  }

  /** A cell that no outline passes through equals such a western neighbour; without one, its centre is tested. */
  function fillInside(): void {
    for (let cell = 0; cell < cells.length; cell++) {
      if (cells[cell] === BORDER) continue;
      const column = cell % columns;
      const neighbour = column === 0 ? BORDER : cells[cell - 1];
      const longitude = west + (column + 0.5) * CELL_DEGREES;
      const latitude = south + (Math.floor(cell / columns) + 0.5) * CELL_DEGREES;
      if (neighbour !== BORDER) cells[cell] = neighbour;
      else cells[cell] = polygonsContain(longitude, latitude) ? INSIDE : OUTSIDE;
    }
  }
}
