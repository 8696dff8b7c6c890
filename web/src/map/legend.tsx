import { useId } from 'preact/hooks';
import { assumptionsText, distanceText, METHOD_NAMES, years } from '../page/format.js';
import { cellOpacity, OPACITY } from '../state/choices.js';
import { type ScoredPoints, scoredPoints } from '../state/points.js';
import { type Ramp, type Scale, survivalScale } from './colours.js';
import type { ShownLayer } from './layers.js';
import { shownMap } from './shown-map.js';

/** Whether the legend may lie open on the map. */
const HAS_ROOM = window.matchMedia('(min-width: 801px) and (min-height: 501px)').matches;

/** What the colours mean, how large a cell is, and how much shows through. */
export function Legend({ shown, isLoading }: { shown: ShownLayer | null; isLoading: boolean }) {
  if (shown === null) return null;
  return (
    <details class="legend" aria-busy={isLoading} open={HAS_ROOM}>
      <summary>{shown.scale.title}</summary>
      <LegendContent shown={shown} />
      <label class="opacity">
        Opacity of cells <span aria-hidden="true">{Math.round(cellOpacity.value * 100)} %</span>
        <input
          type="range"
          min={OPACITY.min}
          max={OPACITY.max}
          step={OPACITY.step}
          value={cellOpacity.value}
          onInput={({ currentTarget }) => {
            cellOpacity.value = Number(currentTarget.value);
          }}
        />
      </label>
      <MoveButtons />
    </details>
  );
}

const DIRECTIONS = [
  ['west', '←', -1, 0],
  ['north', '↑', 0, -1],
  ['south', '↓', 0, 1],
  ['east', '→', 1, 0],
] as const;

/** Moves the map without dragging (WCAG 2.2, 2.5.7), a third of its height at a time. */
function MoveButtons() {
  const move = (across: number, down: number) => {
    const step = (shownMap.peek()?.getCanvas().clientHeight ?? 0) / 3;
    shownMap.peek()?.panBy([across * step, down * step]);
  };
  return (
    <div class="move">
      {DIRECTIONS.map(([name, arrow, across, down]) => (
        <button
          key={name}
          type="button"
          aria-label={`Move the map ${name}`}
          onClick={() => move(across, down)}
        >
          {arrow}
        </button>
      ))}
    </div>
  );
}

/** The legend without its title. It describes what is drawn, even while other cells are loading. */
export function LegendContent({ shown }: { shown: ShownLayer }) {
  const { scale, surface, cells, question } = shown;
  const hasPale = shown.isPale.includes(true);
  return (
    <>
      {scale.kind === 'ramp' ? (
        <RampBar scale={scale} opacity={cellOpacity.value} />
      ) : (
        <Classes scale={scale} />
      )}
      <p class="drawn">
        {[
          question.layer === 'best' ? 'Best native species' : surface.species_common_name,
          question.layer === 'advantage' ? null : METHOD_NAMES[question.method].toLowerCase(),
          `after ${years(question.horizon)}`,
          assumptionsText(question.assumed),
        ]
          .filter((each) => each !== null)
          .join(', ')}
        .
      </p>
      {scoredPoints.value !== null && <PointColours scored={scoredPoints.value} cells={scale} />}
      <p>
        Blank: no forest.
        {hasPale && ` Faint: outside the native range of ${surface.species_common_name}.`}
      </p>
      <p>
        A cell is {distanceText(Math.max(cells.spacingKm, 0.9))} from north to south
        {cells.spacingKm > 1 ? ' and shows one data point; zoom in for more' : ': one data point of the grid'}
        .
      </p>
    </>
  );
}

/** The colours of a ramp as they are drawn: over the ground, with the opacity of the cells. */
function RampBar({ scale, opacity }: { scale: Ramp; opacity: number }) {
  const id = useId();
  const last = scale.colours.length - 1;
  return (
    <>
      <svg class="ramp" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <linearGradient id={id}>
          {scale.colours.map((colour, index) => (
            <stop key={colour} offset={index / last} stop-color={colour} />
          ))}
        </linearGradient>
        <rect class="ground" width="100" height="6" />
        <rect width="100" height="6" fill={`url(#${id})`} opacity={opacity} />
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
      {!isSame && <RampBar scale={scale} opacity={1} />}
    </>
  );
}

function Classes({ scale }: { scale: Scale & { kind: 'classes' } }) {
  return (
    <ul class="classes">
      {scale.classes.map(({ label, colour }) => (
        <li key={label}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect class="ground" width="10" height="10" />
            <rect width="10" height="10" fill={colour} opacity={cellOpacity.value} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
