import { useEffect, useState } from 'preact/hooks';
import { Cells } from '../map/cells.js';
import { proposedParts } from '../map/proposal-layer.js';
import { loadSurface } from '../map/surfaces.js';
import {
  counted,
  elevationText,
  FEET,
  METHOD_NAMES,
  measureOf,
  number,
  percent,
  percentRange,
  typedPercent,
} from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { assumptions, horizon } from '../state/choices.js';
import { settings } from '../state/plan-settings.js';
import { boxOf, divideUnit, type Unit } from '../state/units.js';
import { useAnswer } from '../state/use-answer.js';
import { divide } from './divide.js';
import type { PlanRow } from './plan-rows.js';
import { type Band, bandsOf, pointsInside, type UnitPoint } from './unit-bands.js';

/** A unit with fewer points is not divided. */
const MIN_POINTS = 4;
/** Most points that are loaded for a unit. */
const MAX_POINTS = 5000;
const SURVIVAL_STEPS = [0.01, 0.02, 0.05, 0.1, 0.25];
const METRE_STEPS = [50, 100, 200, 500, 1000];
const FOOT_STEPS = [200, 500, 1000, 2000, 4000];

interface Proposal {
  readonly unit: Unit;
  readonly parts: readonly (Pick<Unit, 'name' | 'geometry'> & { readonly points: readonly UnitPoint[] })[];
}

/** How much survival differs inside a unit, by its best option, and proposals to divide it. */
export function UnitSpread({ row }: { row: PlanRow }) {
  const { unit, species_code, species_common_name, planting_method, planned } = row;
  const [proposal, setProposal] = useState<Proposal | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const box = boxOf([unit]);
  const assumed = assumptions();
  const { answer, error } = useAnswer(
    planned.data_points < MIN_POINTS || box === null ? null : JSON.stringify([species_code, box, assumed]),
    (signal) => loadSurface({ species: species_code, bounds: box, maxPoints: MAX_POINTS, assumed }, signal),
  );
  if (error !== null) return <ErrorNote error={error} />;
  if (answer === null) return null;
  const points = pointsInside(unit, answer, planting_method, horizon.value);
  if (points.length < MIN_POINTS) return null;
  const { threshold } = settings.value;
  const below = points.filter(({ survival }) => survival < threshold).length / points.length;
  const heights = points.map(({ elevationM }) => elevationM);
  const split = async (
    name: (band: Band) => string,
    bands: readonly Band[],
    valueAt: (point: UnitPoint) => number,
  ) => {
    try {
      const classOf = (point: UnitPoint) => bands.findIndex(({ to }) => valueAt(point) < to);
      const parts = await divide(
        unit,
        points,
        classOf,
        new Cells(answer.longitude, answer.latitude, answer.spacing_km).stepDegrees,
      );
      setFailure(null);
      setProposal({
        unit,
        parts: [...parts].map(([index, geometry]) => ({
          name: `${unit.name}, ${name(bands[index])}`,
          geometry,
          points: points.filter((point) => classOf(point) === index),
        })),
      });
    } catch (reason) {
      setFailure(reason as Error);
    }
  };
  const byElevation = () => {
    const measure = measureOf('m');
    const valueAt = ({ elevationM }: UnitPoint) => measure.fromMetric(elevationM);
    const bands = bandsOf(points.map(valueAt), measure.name === FEET.name ? FOOT_STEPS : METRE_STEPS);
    return split(({ from, to }) => `${number(from)} to ${number(to)} ${measure.name}`, bands, valueAt);
  };
  const bySurvival = () =>
    split(
      ({ from, to }) => `alive ${percentRange(from, to).replace('\u00a0', ' ')}`,
      bandsOf(
        points.map(({ survival }) => survival),
        SURVIVAL_STEPS,
      ),
      ({ survival }) => survival,
    );
  return (
    <section class="spread">
      <h3>
        Inside <bdi>{unit.name}</bdi>
      </h3>
      <p>
        {species_common_name}, {METHOD_NAMES[planting_method].toLowerCase()}:{' '}
        {counted(points.length, 'data point')}, 8 of 10 of them from{' '}
        {percentRange(row.survival.p10, row.survival.p90)}. Below {typedPercent(threshold)}: {percent(below)}{' '}
        of the unit. Elevation {elevationText(Math.min(...heights))} to {elevationText(Math.max(...heights))}.
      </p>
      <div class="buttons">
        <button type="button" onClick={byElevation}>
          Split by elevation
        </button>
        <button type="button" onClick={bySurvival}>
          Split by survival
        </button>
      </div>
      {failure !== null && <ErrorNote error={failure} />}
      {proposal?.unit === unit &&
        (proposal.parts.length > 1 ? (
          <Parts proposal={proposal} onDone={() => setProposal(null)} />
        ) : (
          <p role="status">All of the unit is in one class: there is nothing to split.</p>
        ))}
    </section>
  );
}

/** The parts of a proposal, in words and on the map while this is shown. */
function Parts({ proposal: { unit, parts }, onDone }: { proposal: Proposal; onDone: () => void }) {
  useEffect(() => {
    proposedParts.value = parts;
    return () => {
      proposedParts.value = [];
    };
  }, [parts]);
  const mean = (points: readonly UnitPoint[]) =>
    points.reduce((sum, { survival }) => sum + survival, 0) / points.length;
  return (
    <>
      <p>The proposed parts have dashed lines on the map. Undo reverts an accepted split.</p>
      <ul>
        {parts.map(({ name, points }) => (
          <li key={name}>
            <bdi>{name}</bdi>: {counted(points.length, 'point')}, {percent(mean(points))} alive
          </li>
        ))}
      </ul>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          onClick={() => {
            divideUnit(
              unit.id,
              parts.map(({ name, geometry }) => ({ name, geometry })),
            );
            onDone();
          }}
        >
          Accept {parts.length} units
        </button>
        <button type="button" onClick={onDone}>
          Discard
        </button>
      </div>
    </>
  );
}
