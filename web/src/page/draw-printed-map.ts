import type { Map as MapLibreMap } from 'maplibre-gl';
import { site } from '../state/choices.js';
import { measures } from '../state/measures.js';
import { type Box, boxOf, units, unsureUnits } from '../state/units.js';

const DOT_PX = 7;
/** The height of the printed map for a width of 1, unless the units need more. */
const ASPECT = 0.62;
/** Around units, in pixels of the page. */
const MARGIN_PX = 30;
const EARTH_M = 40_075_016.686;

/**
 * Draws the map as it is shown now, with a dot at the site, the numbers of the units and a scale bar: at once, since
 * the browser prints when an event handler has returned. The picture is as wide as the map, and is
 * cropped above and below the units if it is too high for paper.
 */
export function drawPrintedMap(map: MapLibreMap, canvas: HTMLCanvasElement): void {
  map.redraw(); // the canvas has its pixels only until the frame is shown
  const drawn = map.getCanvas();
  const scale = drawn.width / drawn.clientWidth;
  const [top, height] = rowsShown(map, drawn.clientWidth, drawn.clientHeight);
  canvas.width = drawn.width;
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.drawImage(drawn, 0, -top * scale);
  context.setTransform(scale, 0, 0, scale, 0, -top * scale);
  if (site.value !== null) drawSite(context, map.project([site.value.longitude, site.value.latitude]));
  for (const [index, unit] of units.value.entries()) {
    const middle = middleOf(boxOf([unit]));
    if (middle !== null)
      drawNumber(context, map.project(middle), `${index + 1}${unsureUnits.value.has(unit.id) ? '?' : ''}`);
  }
  drawScale(context, map, top + height - 14);
}

/** The first printed row of pixels of the map, and the number of rows: those around the units, if they fit. */
function rowsShown(map: MapLibreMap, width: number, height: number): [number, number] {
  const wanted = Math.min(height, width * ASPECT);
  const box = boxOf(units.value);
  if (box === null) return [Math.max(0, (height - wanted) / 2), wanted];
  const [above, below] = [
    map.project([box[0], box[3]]).y - MARGIN_PX,
    map.project([box[2], box[1]]).y + MARGIN_PX,
  ];
  const rows = Math.min(height, Math.max(wanted, Math.min(below, height) - Math.max(above, 0)));
  const first = (above + below - rows) / 2;
  return [Math.max(0, Math.min(height - rows, first)), rows];
}

const middleOf = (box: Box | null): [number, number] | null =>
  box === null ? null : [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];

function drawSite(context: CanvasRenderingContext2D, { x, y }: { x: number; y: number }): void {
  context.beginPath();
  context.arc(x, y, DOT_PX, 0, 2 * Math.PI);
  context.fillStyle = '#c2410c';
  context.strokeStyle = '#ffffff';
  context.lineWidth = 2;
  context.fill();
  context.stroke();
}

function drawNumber(
  context: CanvasRenderingContext2D,
  { x, y }: { x: number; y: number },
  text: string,
): void {
  // Above the name of the unit.
  const middle = y - 22;
  context.beginPath();
  context.arc(x, middle, 12, 0, 2 * Math.PI);
  context.fillStyle = '#ffffff';
  context.strokeStyle = '#000000';
  context.lineWidth = 1.5;
  context.fill();
  context.stroke();
  context.font = 'bold 13px sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = '#000000';
  context.fillText(text, x, middle);
}

/** A bar of a round length in the chosen unit, at most a quarter of the map wide. */
function drawScale(context: CanvasRenderingContext2D, map: MapLibreMap, y: number): void {
  const [metres, name] = measures.value === 'us' ? [1609.344, 'mi'] : [1000, 'km'];
  const perPixel =
    (EARTH_M * Math.cos((map.getCenter().lat * Math.PI) / 180)) / (512 * 2 ** map.getZoom() * metres);
  const maxLength = (map.getCanvas().clientWidth / 4) * perPixel;
  const power = 10 ** Math.floor(Math.log10(maxLength));
  const length = power * ([5, 2, 1].find((step) => step * power <= maxLength) ?? 1);
  const pixels = length / perPixel;
  context.fillStyle = 'rgb(255 255 255 / 80%)';
  context.fillRect(8, y - 22, pixels + 24, 32);
  context.strokeStyle = '#000000';
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(20, y - 5);
  context.lineTo(20, y);
  context.lineTo(20 + pixels, y);
  context.lineTo(20 + pixels, y - 5);
  context.stroke();
  context.font = '12px sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  context.fillStyle = '#000000';
  context.fillText(`${Number(length.toPrecision(1))} ${name}`, 20 + pixels / 2, y - 7);
}
