import type { Feature, Geometry, Point, Position } from 'geojson';

/** Five decimals are about a metre; four are enough for a map at these scales. */
const DECIMALS = 4;
/** What the map can show: west, south, east, north. */
const WINDOW = [-131, 38, -110, 53] as const;

/** A feature with rounded coordinates, or undefined where no part of it lies in the window. */
export function shape(kind: string, geometry: Geometry, properties: object = {}): Feature | undefined {
  const rounded = roundGeometry(geometry);
  return rounded && { type: 'Feature', properties: { kind, ...properties }, geometry: rounded };
}

function roundGeometry(geometry: Geometry): Geometry | undefined {
  switch (geometry.type) {
    case 'Point':
      return { type: 'Point', coordinates: roundPosition(geometry.coordinates) };
    case 'LineString':
      return { type: 'LineString', coordinates: roundLine(geometry.coordinates) };
    case 'MultiLineString':
      return { type: 'MultiLineString', coordinates: geometry.coordinates.map(roundLine) };
    case 'Polygon':
    case 'MultiPolygon': {
      const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
      const shown = polygons
        .map((rings) =>
          rings.map((ring) => closed(clipRing(ring).map(roundPosition))).filter((r) => r.length > 3),
        )
        .filter((rings) => rings.length > 0);
      return shown.length === 0 ? undefined : { type: 'MultiPolygon', coordinates: shown };
    }
    default:
      throw new Error(`no ${geometry.type} is expected in the sources`);
  }
}

function roundPosition([longitude, latitude]: Position): Position {
  return [Number(longitude!.toFixed(DECIMALS)), Number(latitude!.toFixed(DECIMALS))];
}

/** A line without the points that rounding made equal to the one before. */
function roundLine(line: Position[]): Position[] {
  const rounded = line.map(roundPosition);
  return rounded.filter((point, index) => index === 0 || String(point) !== String(rounded[index - 1]));
}

function closed(ring: Position[]): Position[] {
  const line = ring.filter((point, index) => index === 0 || String(point) !== String(ring[index - 1]));
  return line.length > 0 && String(line[0]) !== String(line.at(-1)) ? [...line, line[0]] : line;
}

/** The part of a ring inside the window (Sutherland and Hodgman's algorithm, one side after the other). */
function clipRing(ring: Position[]): Position[] {
  const [west, south, east, north] = WINDOW;
  const sides: [axis: 0 | 1, limit: number, sign: 1 | -1][] = [
    [0, west, 1],
    [0, east, -1],
    [1, south, 1],
    [1, north, -1],
  ];
  return sides.reduce((points, [axis, limit, sign]) => {
    const isInside = (point: Position) => (point[axis] - limit) * sign >= 0;
    return points.flatMap((point, index) => {
      const previous = points.at(index - 1)!;
      if (isInside(point) === isInside(previous)) return isInside(point) ? [point] : [];
      const share = (limit - previous[axis]) / (point[axis] - previous[axis]);
      const crossing = [0, 1].map((each) => previous[each] + share * (point[each] - previous[each]));
      return isInside(point) ? [crossing, point] : [crossing];
    });
  }, ring);
}

/** The middle of a shape: the centroid of its largest outline, or the point in the middle of its longest line. */
export function middleOf(geometry: Geometry): Point {
  switch (geometry.type) {
    case 'Polygon':
      return centroid(geometry.coordinates[0]);
    case 'MultiPolygon':
      return centroid(longest(geometry.coordinates.map(([outline]) => outline!)));
    case 'LineString':
      return middleOfLine(geometry.coordinates);
    case 'MultiLineString':
      return middleOfLine(longest(geometry.coordinates));
    default:
      throw new Error(`no ${geometry.type} is expected in the sources`);
  }
}

const longest = (lines: readonly Position[][]) => lines.toSorted((a, b) => b.length - a.length)[0];

const middleOfLine = (line: readonly Position[]): Point => ({
  type: 'Point',
  coordinates: line[Math.floor(line.length / 2)],
});

/** The centroid of a ring by the shoelace formula, in degrees. */
function centroid(ring: readonly Position[]): Point {
  let [area, x, y] = [0, 0, 0];
  // From the first corner, so that few digits are lost.
  const [left, bottom] = ring[0] as [number, number];
  for (const [index, corner] of ring.entries()) {
    const next = ring[(index + 1) % ring.length];
    const [ax, ay, bx, by] = [corner[0] - left, corner[1] - bottom, next[0] - left, next[1] - bottom];
    const cross = ax * by - bx * ay;
    area += cross;
    x += (ax + bx) * cross;
    y += (ay + by) * cross;
  }
  return { type: 'Point', coordinates: [left + x / (3 * area), bottom + y / (3 * area)] };
}
