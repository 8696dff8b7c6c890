import { effect } from '@preact/signals';
import { type Map as MapLibreMap, Marker } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'preact/hooks';
import { showHandles } from '../drawing/corner-handles.js';
import { Drawing, listenToKeys } from '../drawing/drawing.js';
import { EditBar } from '../drawing/edit-bar.js';
import { elevationText, number, percent, years } from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { catalogues, speciesName } from '../state/catalogues.js';
import {
  assumptions,
  camera,
  cellOpacity,
  chooseSite,
  horizon,
  method,
  panel,
  site,
  species,
} from '../state/choices.js';
import { chosenRow, scoredPoints, survivalOf } from '../state/points.js';
import { boxOf, chosenUnit, drawing, editedUnit, unitAt } from '../state/units.js';
import { useAnswer } from '../state/use-answer.js';
import { CellLayer } from './cell-layer.js';
import { createMap } from './create-map.js';
import { type LayerQuestion, loadLayer, type ShownLayer, shownLayerName } from './layers.js';
import { Legend } from './legend.js';
import { rowAt, showPoints } from './point-layer.js';
import { showProposal } from './proposal-layer.js';
import { isMapLoading, showBox, shownLayer, shownMap } from './shown-map.js';
import type { Bounds } from './surfaces.js';
import { showUnits } from './unit-layers.js';

/** Bounds are extended by this share of the view, so that small movements need no new answer. */
const MARGIN = 0.15;
/** Half a cell of the finest lattice, in degrees: a cell at the edge of the view may have its point this far outside. */
const HALF_CELL = 1 / 240;
/** Below this zoom the whole region is asked for. */
const REGION_ZOOM = 6.6;

/** The map: cells coloured by the chosen layer, the site, the units, and the value under the pointer. */
export function MapView() {
  const container = useRef<HTMLDivElement>(null);
  const cells = useRef(new CellLayer());
  // undefined until the map knows its view
  const [bounds, setBounds] = useState<Bounds | null | undefined>(undefined);
  const [hover, setHover] = useState('');
  const [isBroken, setBroken] = useState(false);
  const [isStyleFailed, setStyleFailed] = useState(false);

  const known = catalogues.value;
  const question: LayerQuestion = {
    layer: shownLayerName(),
    species: species.value,
    method: method.value,
    horizon: horizon.value,
    bounds: bounds ?? null,
    assumed: assumptions(),
  };
  const { answer, error, isLoading } = useAnswer(
    known === null || bounds === undefined ? null : JSON.stringify(question),
    (signal) => loadLayer(question, known?.species ?? [], signal),
  );

  useEffect(() => {
    shownLayer.value = answer;
    cells.current.paint(answer);
    isMapLoading.value = isLoading;
  }, [answer, isLoading]);

  useEffect(listenToKeys, []);

  useEffect(() => {
    if (container.current === null) return undefined;
    let map: MapLibreMap;
    try {
      map = createMap(container.current, cells.current, camera.peek(), () => setStyleFailed(true));
    } catch {
      setBroken(true);
      return undefined;
    }
    shownMap.value = map;
    const marker = new Marker({ color: '#c2410c' });
    map.on('moveend', () => {
      const { lng, lat } = map.getCenter();
      camera.value = { zoom: map.getZoom(), center: { latitude: lat, longitude: lng } };
      setBounds(boundsOf(map));
    });
    setBounds(boundsOf(map));
    map.on('click', ({ lngLat, point }) => {
      if (drawing.peek() !== null || editedUnit.peek() !== null) return;
      const row = rowAt(map, point);
      if (row !== undefined) {
        panel.value = 'units';
        chosenRow.value = row;
        return;
      }
      const unit = panel.peek() === 'units' ? unitAt(lngLat.lng, lngLat.lat) : undefined;
      if (unit === undefined) chooseSite({ latitude: lngLat.lat, longitude: lngLat.lng });
      else {
        chosenUnit.value = unit.id;
        showBox(boxOf([unit]));
      }
    });
    // The keyboard moves the map; Enter takes the place in its middle.
    map.getCanvas().addEventListener('keydown', ({ key }) => {
      if (key !== 'Enter' || drawing.peek() !== null || editedUnit.peek() !== null) return;
      const { lng, lat } = map.getCenter();
      chooseSite({ latitude: lat, longitude: lng });
    });
    map.on('mousemove', ({ lngLat, point }) => {
      const row = rowAt(map, point);
      map.getCanvas().classList.toggle('is-over-point', row !== undefined);
      setHover(row === undefined ? textUnder(shownLayer.peek(), lngLat.lng, lngLat.lat) : textOfRow(row));
    });
    map.on('mouseout', () => setHover(''));
    const draw = new Drawing(map);
    const stops = [
      // Follows a link that is opened in this tab.
      effect(() => {
        const { zoom, center } = camera.value ?? {};
        if (zoom === undefined || center === undefined) return;
        const { lng, lat } = map.getCenter();
        const isShown = [zoom - map.getZoom(), center.longitude - lng, center.latitude - lat].every(
          (difference) => Math.abs(difference) < 1e-3,
        );
        if (!isShown) map.jumpTo({ zoom, center: [center.longitude, center.latitude] });
      }),
      effect(() => {
        if (site.value === null) marker.remove();
        else {
          marker.setLngLat([site.value.longitude, site.value.latitude]).addTo(map);
          marker.getElement().setAttribute('aria-label', 'The chosen site');
        }
      }),
      effect(() => cells.current.setOpacity(cellOpacity.value)),
      showUnits(map),
      showProposal(map),
      showPoints(map),
      showHandles(map),
    ];
    return () => {
      for (const stop of stops) stop();
      draw.end();
      shownMap.value = null;
      map.remove();
    };
  }, []);

  return (
    <div class="map-area" data-loading={isLoading}>
      <div ref={container} class="map" data-testid="map" />
      {isBroken && (
        <p class="map-note error" role="alert">
          This browser cannot draw the map: it needs WebGL 2. Sites and units work without it.
        </p>
      )}
      {isStyleFailed && (
        <p class="map-note error" role="alert">
          The map of the operator cannot be loaded. The page shows its own map instead.
        </p>
      )}
      <EditBar />
      {hover !== '' && <output class="hover">{hover}</output>}
      {isLoading && (
        <p class="map-note" role="status">
          {question.layer === 'best' ? 'Loading all species …' : `Loading ${speciesName(species.value)} …`}
        </p>
      )}
      {error !== null && <ErrorNote class="map-note" error={error} />}
      {answer?.cells.count === 0 && <p class="map-note">No forest data points in this view.</p>}
      <Legend shown={answer} isLoading={isLoading} />
    </div>
  );
}

/** Bounds to load for a view: null for the region, else with a margin, in steps of 0.01 degrees so that they recur. */
function boundsOf(map: MapLibreMap): Bounds | null {
  if (map.getZoom() < REGION_ZOOM) return null;
  const view = map.getBounds();
  const across = Math.max(HALF_CELL, (view.getEast() - view.getWest()) * MARGIN);
  const down = Math.max(HALF_CELL, (view.getNorth() - view.getSouth()) * MARGIN);
  return [
    Math.floor((view.getWest() - across) * 100) / 100,
    Math.floor((view.getSouth() - down) * 100) / 100,
    Math.ceil((view.getEast() + across) * 100) / 100,
    Math.ceil((view.getNorth() + down) * 100) / 100,
  ];
}

function textUnder(shown: ShownLayer | null, longitude: number, latitude: number): string {
  const index = shown?.cells.at(longitude, latitude);
  if (shown === null || index === undefined) return '';
  const { surface } = shown;
  const range = shown.isPale[index] ? ', outside the native range' : '';
  return `${shown.describe(index)}${range} · ${elevationText(surface.elevation_m[index])}`;
}

function textOfRow(index: number): string {
  const scored = scoredPoints.peek();
  const row = scored?.rows[index];
  if (scored === null || row === undefined) return '';
  const survival = survivalOf(row, scored.question.horizon);
  const text =
    survival === null
      ? row.error_message
      : `${percent(survival)} alive after ${years(scored.question.horizon)}`;
  return `Point ${number(index + 1)}: ${text}`;
}
