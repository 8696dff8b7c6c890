import { assumptionsText, distanceText, years } from '../page/format.js';
import { type ScoredPoints, scoredPoints } from '../state/points.js';
import { type Ramp, type Scale, survivalScale } from './colours.js';
import type { ShownLayer } from './layers.js';

/** Whether the legend may lie open on the map. */
const HAS_ROOM = window.matchMedia('(min-width: 801px)').matches;

/** What the colours mean, and how large a cell is. */
export function Legend({ shown, isLoading }: { shown: ShownLayer | null; isLoading: boolean }) {
  if (shown === null) return null;
  return (
    <details class="legend" aria-busy={isLoading} open={HAS_ROOM}>
      <summary>{shown.scale.title}</summary>
      <LegendContent shown={shown} />
    </details>
  );
}

/** The legend without its title. */
export function LegendContent({ shown }: { shown: ShownLayer }) {
  const { scale, surface, cells } = shown;
  const hasPale = shown.isPale.includes(true);
  return (
    <>
      {scale.kind === 'ramp' ? <RampBar scale={scale} /> : <Classes scale={scale} />}
      {scoredPoints.value !== null && <PointColours scored={scoredPoints.value} cells={scale} />}
      {hasPale && <p>Pale: outside the native range of {surface.species_common_name}.</p>}
      <p>
        A cell is {distanceText(Math.max(cells.spacingKm, 0.9))} from north to south
        {cells.spacingKm > 1 ? ' and shows one data point; zoom in for more' : ': one data point of the grid'}
        .
      </p>
    </>
  );
}

function RampBar({ scale }: { scale: Ramp }) {
  const width = 100 / scale.colours.length;
  return (
    <>
      <svg class="ramp" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {scale.colours.map((colour, index) => (
          <rect key={colour} x={index * width} y="0" width={width + 0.2} height="6" fill={colour} />
        ))}
      </svg>
      <div class="ticks">
        {scale.ticks.map(({ label }) => (
          <span key={label}>{label}</span>
        ))}
      </div>
    </>
  );
}

/** The colours of the points of a file, which are those of the layer of survival. */
function PointColours({ scored, cells }: { scored: ScoredPoints; cells: Scale }) {
  const { horizon, assumed } = scored.question;
  const scale = survivalScale(`survival after ${years(horizon)}, ${assumptionsText(assumed)}`);
  const isSame = cells.kind === 'ramp' && cells.colours === scale.colours;
  return (
    <>
      <p>
        Circles: points of the file, {scale.title}
        {isSame && ', in the same colours'}; grey: an error.
      </p>
      {!isSame && <RampBar scale={scale} />}
    </>
  );
}

function Classes({ scale }: { scale: Scale & { kind: 'classes' } }) {
  return (
    <ul class="classes">
      {scale.classes.map(({ label, colour }) => (
        <li key={label}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect width="10" height="10" fill={colour} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
