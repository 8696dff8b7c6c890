import { useState } from 'preact/hooks';
import type { Method } from '../api/types.js';
import { METHODS } from '../api/types.js';
import { download } from '../files/download.js';
import { FileDrop } from '../files/file-drop.js';
import type { FileContent } from '../files/read-file.js';
import { isMapLoading, showBox } from '../map/shown-map.js';
import { counted, METHOD_NAMES, number } from '../page/format.js';
import { ErrorNote, errorText } from '../page/notes.js';
import { printPage } from '../page/print-head.js';
import { useTypedNumber } from '../page/use-typed-number.js';
import { planUnits } from '../plan/plan.js';
import { geoJsonOf, planCsv, rowsOf, type UnplannedUnit, unplannedOf } from '../plan/plan-rows.js';
import { PlanTable } from '../plan/plan-table.js';
import { Report } from '../plan/report.js';
import { PointsRun } from '../points/points-run.js';
import { hasIntervals, nameOf } from '../state/catalogues.js';
import { assumptions, horizon, optionsOf, panel, species } from '../state/choices.js';
import { pointTable, takePoints } from '../state/points.js';
import { addUnits, boxOf, costs, nativeOnly, onlyChosenSpecies, type Unit, units } from '../state/units.js';
import { useAnswer } from '../state/use-answer.js';
import { UnitEditor } from './unit-editor.js';

/** Planting units: drawn or from files, planned by species, method and cost. Nothing is planned while it is hidden. */
export function UnitsPanel() {
  const points = pointTable.value;
  const [note, setNote] = useState('');
  const take = ({ polygons, points: table, ignored, isNad27 }: FileContent) => {
    addUnits(polygons);
    if (table !== null) takePoints(table);
    setNote(
      [
        ignored > 0 ? `Neither polygons nor points, and left out: ${counted(ignored, 'feature')}.` : '',
        isNad27
          ? 'The file is in NAD27: its places may be 100 m off. Convert it to WGS 84 and drop it again.'
          : '',
      ]
        .join(' ')
        .trim(),
    );
    if (polygons.length > 0) showBox(boxOf(units.peek()));
  };
  return (
    <>
      <div class="no-print">
        <h2>Planting units</h2>
        <p class="hint">
          Draw units on the map, type their corners, or drop a file of polygons (units) or points (sites).
        </p>
        <UnitEditor />
        <FileDrop onContent={take} />
        {note !== '' && <p role="status">{note}</p>}
        {/* Another file is another run. */}
        {points !== null && <PointsRun key={points} table={points} />}
      </div>
      {panel.value === 'units' && units.value.length > 0 && <PlannedUnits />}
    </>
  );
}

function PlannedUnits() {
  const onlyChosen = onlyChosenSpecies.value;
  const { manual, drone_seeded } = costs.value;
  const question = {
    horizon: horizon.value,
    nativeOnly: nativeOnly.value,
    speciesCodes: onlyChosen ? [species.value] : undefined,
    costs: manual === null || drone_seeded === null ? undefined : { manual, drone_seeded },
    ...optionsOf(assumptions()),
  };
  const shown = units.value;
  const { answer, error, isLoading } = useAnswer(
    hasIntervals()
      ? JSON.stringify({ question, revisions: shown.map(({ geometry }) => revisionOf(geometry)) })
      : null,
    (signal) => planUnits(shown, question, signal),
    (plan) => plan.error,
  );
  const planned = answer?.units ?? [];
  const rows = rowsOf(shown, planned, drone_seeded);
  const noneLeft = `No species ${nativeOnly.value ? 'asked for is native' : 'can be planned'} there`;
  const unplanned = unplannedOf(
    shown,
    planned,
    `${noneLeft}.`,
    error === null ? undefined : errorText(error),
  );
  const ofKind = (kind: UnplannedUnit['kind']) => unplanned.filter((each) => each.kind === kind);
  const [refused, empty, notAnswered] = [ofKind('refused'), ofKind('none-left'), ofKind('not-answered')];
  const scope = onlyChosen ? nameOf(species.value) : nativeOnly.value ? 'all native species' : 'all species';
  return (
    <>
      <div class="no-print">
        <h3>Costs</h3>
        <div class="filters costs">
          {METHODS.map((each) => (
            <CostField key={each} method={each} />
          ))}
        </div>
        <div class="filters">
          <label class="check">
            <input
              type="checkbox"
              checked={onlyChosen}
              onChange={() => {
                onlyChosenSpecies.value = !onlyChosen;
              }}
            />
            {nameOf(species.value)} only
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={nativeOnly.value}
              onChange={() => {
                nativeOnly.value = !nativeOnly.value;
              }}
            />
            Native species only
          </label>
        </div>
        {!hasIntervals() && (
          <p role="status">A plan needs intervals, and the models of this service have none.</p>
        )}
        {error !== null && <ErrorNote error={error} />}
        {notAnswered.length > 0 && <p role="status">Not planned: {namesOf(notAnswered)}.</p>}
        {refused.length > 0 && (
          <ul class="error">
            {refused.map(({ unit, error: reason }) => (
              <li key={unit.id}>
                {unit.name}: {reason}
              </li>
            ))}
          </ul>
        )}
        {empty.length > 0 && (
          <p role="status">
            {noneLeft}: {namesOf(empty)}.
          </p>
        )}
        {isLoading && <p role="status">Planning {counted(shown.length, 'unit')} …</p>}
        <div aria-busy={isLoading} class={isLoading ? 'stale' : ''}>
          {rows.length > 0 && <PlanTable rows={rows} hasCosts={question.costs !== undefined} />}
          <div class="buttons">
            {answer !== null && (
              <button
                type="button"
                disabled={isLoading}
                onClick={() => download('plan.csv', 'text/csv', planCsv(rows, unplanned))}
              >
                Export CSV
              </button>
            )}
            {/* Also without a plan: units are kept nowhere else. */}
            <button
              type="button"
              disabled={isLoading}
              onClick={() =>
                download('plan.geojson', 'application/geo+json', geoJsonOf(shown, rows, unplanned))
              }
            >
              Export GeoJSON
            </button>
            {answer !== null && (
              <button type="button" disabled={isLoading || isMapLoading.value} onClick={printPage}>
                Print report
              </button>
            )}
          </div>
        </div>
      </div>
      {answer !== null && !isLoading && <Report rows={rows} unplanned={unplanned} scope={scope} />}
    </>
  );
}

const namesOf = (unplanned: readonly UnplannedUnit[]) => unplanned.map(({ unit }) => unit.name).join(', ');

const revisions = new WeakMap<Unit['geometry'], number>();
let revisionCount = 0;

/** A number that no other geometry has, nor the same one after a change. */
function revisionOf(geometry: Unit['geometry']): number {
  const known = revisions.get(geometry) ?? ++revisionCount;
  revisions.set(geometry, known);
  return known;
}

const COST_LABELS: Readonly<Record<Method, string>> = {
  manual: 'per planted tree,\u00a0$',
  drone_seeded: 'per sown spot,\u00a0$',
};

/** In dollars. */
const COST_LIMITS = { min: 1e-6, max: 1e9 };

function CostField({ method }: { method: Method }) {
  const { text, isWrong, onInput } = useTypedNumber(costs.value[method], COST_LIMITS, (cost) => {
    costs.value = { ...costs.value, [method]: cost };
  });
  const { min, max } = COST_LIMITS;
  const isMissing = text === '' && METHODS.some((each) => costs.value[each] !== null);
  return (
    <label>
      {METHOD_NAMES[method]}, {COST_LABELS[method]}
      <input
        type="number"
        min={min}
        max={max}
        step="any"
        value={text}
        aria-invalid={isWrong}
        onInput={onInput}
      />
      {isWrong && (
        <span class="error" role="alert">
          From ${min} to ${number(max)}.
        </span>
      )}
      {isMissing && !isWrong && <span role="status">Costs per survivor need both costs.</span>}
    </label>
  );
}
