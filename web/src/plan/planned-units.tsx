import { useEffect } from 'preact/hooks';
import { ExportButtons } from '../exports/export-buttons.js';
import { isMapLoading } from '../map/shown-map.js';
import { counted, number, typedPercent } from '../page/format.js';
import { ErrorNote, errorText, namesOf } from '../page/notes.js';
import { printPage } from '../page/print-head.js';
import { PrintedMap } from '../page/printed-map.js';
import { askedSpecies, SpeciesSets, scopeText } from '../page/species-sets.js';
import { catalogues, hasIntervals } from '../state/catalogues.js';
import { assumptions, horizon, optionsOf } from '../state/choices.js';
import { bothCosts, changeSettings, type RankBy, settings } from '../state/plan-settings.js';
import { chosenUnit, type Unit, units, unsureUnits } from '../state/units.js';
import { useAnswer } from '../state/use-answer.js';
import { CostFields } from './cost-fields.js';
import { OrderFields } from './order-fields.js';
import { OrderTable } from './order-table.js';
import { planAndCompare } from './plan.js';
import { type PlanRow, rowsOf, type UnplannedUnit, unplannedOf } from './plan-rows.js';
import { PlanTable } from './plan-table.js';
import { RankingFields } from './ranking-fields.js';
import { Report } from './report.js';
import { UnitSpread } from './unit-spread.js';

/** The settings of the plan, its table, its exports and its report. */
export function PlannedUnits() {
  const chosen = settings.value;
  const costs = bothCosts(chosen);
  const hasCosts = costs !== undefined;
  const rankBy: RankBy = chosen.rankBy === 'cost' && !hasCosts ? 'survival' : chosen.rankBy;
  const speciesCodes = askedSpecies(chosen);
  const model = catalogues.value?.model;
  const question = {
    model: model && { version: model.version, digest: model.digest },
    horizon: horizon.value,
    nativeOnly: chosen.nativeOnly,
    speciesCodes,
    costs,
    ...optionsOf(assumptions()),
  };
  const comparesToday = chosen.comparesToday && question.scenario !== undefined;
  const shown = units.value;
  const isAsked = model !== undefined && hasIntervals() && speciesCodes?.length !== 0;
  const { answer, error, isLoading } = useAnswer(
    isAsked
      ? JSON.stringify({
          question,
          comparesToday,
          revisions: shown.map(({ geometry }) => revisionOf(geometry)),
        })
      : null,
    (signal) => planAndCompare(shown, question, comparesToday, signal),
    (plan) => plan.error,
  );
  const planned = answer?.units ?? [];
  const rows = rowsOf(shown, planned, answer?.today ?? [], { ...chosen, rankBy });
  const noneLeft = `No species ${chosen.nativeOnly ? 'asked for is native' : 'can be planned'} there`;
  const unplanned = unplannedOf(
    shown,
    planned,
    `${noneLeft}.`,
    isAsked ? (error === null ? undefined : errorText(error)) : 'Not planned yet.',
  );
  const spreadRow = rows.find(({ rank, unit }) => rank === 1 && unit.id === chosenUnit.value);
  const unsure = rows.filter(({ rank, isUnsure }) => rank === 1 && isUnsure).map(({ unit }) => unit.id);
  useEffect(() => {
    unsureUnits.value = new Set(unsure);
  }, [unsure.join()]);
  return (
    <>
      <div class="no-print">
        <h3>Species</h3>
        <SpeciesSets name="planned-species" />
        <h3>Costs</h3>
        <CostFields />
        <h3>Order</h3>
        <OrderFields />
        <RankingFields
          rankBy={rankBy}
          hasCosts={hasCosts}
          hasOtherClimate={question.scenario !== undefined}
        />
        {!hasIntervals() && (
          <p role="status">A plan needs intervals, and the models of this service have none.</p>
        )}
        {error !== null && <ErrorNote error={error} />}
        <UnplannedNotes unplanned={unplanned} noneLeft={noneLeft} />
        <p role="status">
          {isLoading
            ? `Planning ${counted(shown.length, 'unit')} …`
            : planned.length > 0 && plannedText(rows, unplanned)}
        </p>
        <div aria-busy={isLoading} class={isLoading ? 'stale' : ''}>
          {rows.length > 0 && (
            <>
              <RiskNote rows={rows} rankBy={rankBy} threshold={chosen.threshold} />
              <OrderTable rows={rows} />
              <PlanTable rows={rows} hasCosts={hasCosts} rankBy={rankBy} />
            </>
          )}
          {/* A new key for other figures, because a proposed split depends on the figures it was made from. */}
          {spreadRow !== undefined && (
            <UnitSpread
              key={JSON.stringify([
                spreadRow.unit.id,
                spreadRow.species_code,
                spreadRow.planting_method,
                horizon.value,
                assumptions(),
              ])}
              row={spreadRow}
            />
          )}
          {/* Also without a plan, to use the units in other programs. */}
          <div class="buttons">
            <ExportButtons
              isDisabled={isLoading}
              plan={{
                units: shown,
                rows,
                unplanned,
                horizon: horizon.value,
                assumed: assumptions(),
                settings: { ...chosen, rankBy, comparesToday },
                model,
              }}
            />
            {rows.length > 0 && (
              <button type="button" disabled={isLoading || isMapLoading.value} onClick={printPage}>
                Print report
              </button>
            )}
          </div>
        </div>
      </div>
      {answer === null || isLoading ? (
        <PrintedMap />
      ) : (
        <Report rows={rows} unplanned={unplanned} scope={scopeText(chosen)} rankBy={rankBy} />
      )}
    </>
  );
}

function plannedText(rows: readonly PlanRow[], unplanned: readonly UnplannedUnit[]): string {
  const refused = unplanned.filter(({ kind }) => kind === 'refused').length;
  const planned = counted(rows.filter(({ rank }) => rank === 1).length, 'unit');
  return `${planned} planned${refused > 0 ? `, ${number(refused)} refused` : ''}.`;
}

interface UnplannedNotesProps {
  unplanned: readonly UnplannedUnit[];
  noneLeft: string;
}

function UnplannedNotes({ unplanned, noneLeft }: UnplannedNotesProps) {
  const ofKind = (kind: UnplannedUnit['kind']) => unplanned.filter((each) => each.kind === kind);
  const [refused, empty, notAnswered] = [ofKind('refused'), ofKind('none-left'), ofKind('not-answered')];
  return (
    <>
      {notAnswered.length > 0 && <p role="status">Not planned: {namesOf(unitsOf(notAnswered))}.</p>}
      {refused.length > 0 && (
        <ul class="error">
          {refused.map(({ unit, error: reason }) => (
            <li key={unit.id}>
              <bdi>{unit.name}</bdi>: {reason}
            </li>
          ))}
        </ul>
      )}
      {empty.length > 0 && (
        <p role="status">
          {noneLeft}: {namesOf(unitsOf(empty))}.
        </p>
      )}
    </>
  );
}

interface RiskNoteProps {
  rows: readonly PlanRow[];
  rankBy: RankBy;
  threshold: number;
}

/** Says where the best option by cost or survival is an unsure one. */
function RiskNote({ rows, rankBy, threshold }: RiskNoteProps) {
  const unsure = rows.filter(({ rank, isUnsure }) => rank === 1 && isUnsure);
  if (unsure.length === 0) return null;
  const best = { cost: 'cheapest', survival: 'best', safest: 'safest' }[rankBy];
  return (
    <p class="flag" role="status">
      The {best} option of {counted(unsure.length, 'unit')} has a low end below {typedPercent(threshold)}:{' '}
      {namesOf(unitsOf(unsure))}.{' '}
      {rankBy !== 'safest' && (
        <button type="button" onClick={() => changeSettings({ rankBy: 'safest' })}>
          Rank by the safest
        </button>
      )}
    </p>
  );
}

const unitsOf = (rows: readonly { readonly unit: Unit }[]) => rows.map(({ unit }) => unit);

const revisions = new WeakMap<Unit['geometry'], number>();
let revisionCount = 0;

/** A number that identifies a geometry; a changed geometry is another object with another number. */
function revisionOf(geometry: Unit['geometry']): number {
  const known = revisions.get(geometry) ?? ++revisionCount;
  revisions.set(geometry, known);
  return known;
}
