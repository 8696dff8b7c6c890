import { download } from '../files/download.js';
import { isMapLoading } from '../map/shown-map.js';
import { counted } from '../page/format.js';
import { ErrorNote, errorText } from '../page/notes.js';
import { printPage } from '../page/print-head.js';
import { hasIntervals, nameOf } from '../state/catalogues.js';
import { assumptions, horizon, optionsOf, species } from '../state/choices.js';
import { changeSettings, settings } from '../state/plan-settings.js';
import { type Unit, units } from '../state/units.js';
import { useAnswer } from '../state/use-answer.js';
import { CostFields } from './cost-fields.js';
import { planUnits } from './plan.js';
import { geoJsonOf, planCsv, rowsOf, type UnplannedUnit, unplannedOf } from './plan-rows.js';
import { PlanTable } from './plan-table.js';
import { Report } from './report.js';

/** The settings of the plan, its table, its exports and its report. */
export function PlannedUnits() {
  const { costs, nativeOnly, species: asked } = settings.value;
  const onlyChosen = asked === 'chosen';
  const { manual, drone_seeded } = costs;
  const question = {
    horizon: horizon.value,
    nativeOnly,
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
  const noneLeft = `No species ${nativeOnly ? 'asked for is native' : 'can be planned'} there`;
  const unplanned = unplannedOf(
    shown,
    planned,
    `${noneLeft}.`,
    error === null ? undefined : errorText(error),
  );
  const ofKind = (kind: UnplannedUnit['kind']) => unplanned.filter((each) => each.kind === kind);
  const [refused, empty, notAnswered] = [ofKind('refused'), ofKind('none-left'), ofKind('not-answered')];
  const scope = onlyChosen ? nameOf(species.value) : nativeOnly ? 'all native species' : 'all species';
  return (
    <>
      <div class="no-print">
        <h3>Costs</h3>
        <CostFields />
        <div class="filters">
          <label class="check">
            <input
              type="checkbox"
              checked={onlyChosen}
              onChange={() => {
                changeSettings({ species: onlyChosen ? 'all' : 'chosen' });
              }}
            />
            {nameOf(species.value)} only
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={nativeOnly}
              onChange={() => {
                changeSettings({ nativeOnly: !nativeOnly });
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
