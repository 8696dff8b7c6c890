import { effect } from '@preact/signals';
import type { ExpressionSpecification, GeoJSONSource, Map as MapLibreMap, Point } from 'maplibre-gl';
import { chosenRow, positionOf, type ScoredPoints, scoredPoints, survivalOf } from '../state/points.js';
import { OTHER_COLOUR, survivalScale } from './colours.js';

const SOURCE = 'points';
/** A click this close to a point, in pixels, chooses it. */
const REACH_PX = 6;
/** Least time between redraws of all points while answers arrive. */
const REDRAW_MS = 1000;

/** The colours of the layer of survival; grey for a row with an error. */
function colourOf(): ExpressionSpecification {
  const { colours } = survivalScale('');
  const stops = colours.flatMap((colour, index) => [index / (colours.length - 1), colour]);
  return [
    'case',
    ['has', 'survival'],
    ['interpolate', ['linear'], ['get', 'survival'], ...stops] as ExpressionSpecification,
    OTHER_COLOUR,
  ];
}

/** Shows the scored points of a file on a map, and updates them. @returns a stop function */
export function showPoints(map: MapLibreMap): () => void {
  let timer: number | undefined;
  const draw = () => {
    timer = undefined;
    const features = featuresOf(scoredPoints.peek(), chosenRow.peek());
    map.getSource<GeoJSONSource>(SOURCE)?.setData({ type: 'FeatureCollection', features });
  };
  map.on('style.load', () => {
    map.addSource(SOURCE, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({
      id: SOURCE,
      type: 'circle',
      source: SOURCE,
      paint: {
        'circle-radius': ['case', ['get', 'isChosen'], 9, 6],
        'circle-color': colourOf(),
        'circle-stroke-color': ['case', ['get', 'isChosen'], '#c2410c', '#ffffff'],
        'circle-stroke-width': ['case', ['get', 'isChosen'], 3.5, 1.5],
      },
    });
    draw();
  });
  const stops = [
    effect(() => {
      if (scoredPoints.value !== null) timer ??= window.setTimeout(draw, REDRAW_MS);
      else draw();
    }),
    chosenRow.subscribe(draw),
  ];
  return () => {
    for (const stop of stops) stop();
    window.clearTimeout(timer);
  };
}

function featuresOf(scored: ScoredPoints | null, chosen: number | null) {
  if (scored === null) return [];
  return scored.rows.flatMap((row, index) => {
    const coordinates = positionOf(row);
    if (coordinates === null) return [];
    const survival = survivalOf(row, scored.question.horizon);
    return {
      type: 'Feature' as const,
      properties: { index, isChosen: index === chosen, ...(survival === null ? {} : { survival }) },
      geometry: { type: 'Point' as const, coordinates },
    };
  });
}

/** The index of the row whose point is at a place of the map; undefined where there is none. */
export function rowAt(map: MapLibreMap, { x, y }: Point): number | undefined {
  if (map.getLayer(SOURCE) === undefined) return undefined;
  const [found] = map.queryRenderedFeatures(
    [
      [x - REACH_PX, y - REACH_PX],
      [x + REACH_PX, y + REACH_PX],
    ],
    { layers: [SOURCE] },
  );
  return found?.properties.index as number | undefined;
}
