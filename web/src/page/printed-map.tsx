import { useEffect, useRef } from 'preact/hooks';
import { LegendContent } from '../map/legend.js';
import { isMapLoading, shownLayer, shownMap } from '../map/shown-map.js';
import { speciesName } from '../state/catalogues.js';
import { layer, species } from '../state/choices.js';
import { drawPrintedMap } from './draw-printed-map.js';

/** The map on paper with its legend, drawn when the browser begins to print; hidden while cells are loading. */
export function PrintedMap() {
  const figure = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = shownLayer.value;
  useEffect(() => {
    const draw = () => {
      const map = shownMap.peek();
      if (figure.current === null || canvas.current === null) return;
      figure.current.hidden = map === null || shownLayer.peek() === null || isMapLoading.peek();
      if (map !== null && !figure.current.hidden) drawPrintedMap(map, canvas.current);
    };
    window.addEventListener('beforeprint', draw);
    return () => window.removeEventListener('beforeprint', draw);
  }, []);
  return (
    <figure ref={figure} class="print-only printed-map" hidden>
      <canvas ref={canvas} role="img" aria-label="The map" />
      {shown !== null && (
        <figcaption>
          <strong>
            {layer.value === 'best' ? '' : `${speciesName(species.value)}. `}
            {shown.scale.title}
          </strong>
          <LegendContent shown={shown} />
        </figcaption>
      )}
    </figure>
  );
}
