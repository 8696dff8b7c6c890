import type { MultiPolygon, Polygon, Position } from 'geojson';
import type { ExportRow } from './plan-export.js';
import { withoutControls } from './xml-text.js';

interface Placemark {
  readonly name: string;
  readonly data: ExportRow;
  readonly geometry: Polygon | MultiPolygon;
}

const NAMESPACE = 'http://www.opengis.net/kml/2.2';

/** Polygons with data as KML 2.2 (OGC 07-147r2). The browser's XML serializer escapes all text. */
export function kmlText(name: string, description: string, placemarks: readonly Placemark[]): string {
  const xml = document.implementation.createDocument(NAMESPACE, 'kml');
  const add = (parent: Element, tag: string, text?: string): Element => {
    const element = xml.createElementNS(NAMESPACE, tag);
    if (text !== undefined) element.textContent = withoutControls(text);
    parent.append(element);
    return element;
  };
  const root = add(xml.documentElement, 'Document');
  add(root, 'name', name);
  add(root, 'description', description);
  for (const { name: title, data, geometry } of placemarks) {
    const placemark = add(root, 'Placemark');
    add(placemark, 'name', title);
    const extended = add(placemark, 'ExtendedData');
    for (const [column, value] of Object.entries(data)) {
      const item = add(extended, 'Data');
      item.setAttribute('name', withoutControls(column));
      add(item, 'value', String(value ?? ''));
    }
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    const parent = polygons.length === 1 ? placemark : add(placemark, 'MultiGeometry');
    for (const rings of polygons.filter(Array.isArray)) {
      const polygon = add(parent, 'Polygon');
      for (const [index, ring] of rings.entries()) {
        const boundary = add(polygon, index === 0 ? 'outerBoundaryIs' : 'innerBoundaryIs');
        add(add(boundary, 'LinearRing'), 'coordinates', coordinatesText(ring));
      }
    }
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(xml)}`;
}

/** Longitude and latitude of each corner, without corners of damaged files that are not numbers. */
const coordinatesText = (ring: unknown) =>
  (Array.isArray(ring) ? ring : [])
    .filter((position) => Array.isArray(position) && position.slice(0, 2).every(Number.isFinite))
    .map(([longitude, latitude]: Position) => `${longitude},${latitude}`)
    .join(' ');
