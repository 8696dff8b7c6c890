import { METHODS } from '../api/types.js';
import { areaText, counted, METHOD_NAMES, percent } from '../page/format.js';
import { catalogues } from '../state/catalogues.js';
import { settings } from '../state/plan-settings.js';
import { units } from '../state/units.js';
import { costText, money, type PlanRow, type UnplannedUnit } from './plan-rows.js';

/** Options that fit on two pages beside the map. */
const MAX_ROWS = 44;

interface ReportProps {
  rows: readonly PlanRow[];
  unplanned: readonly UnplannedUnit[];
  /** The species that were asked for, as a part of a sentence. */
  scope: string;
}

/** The plan on paper, below what all prints begin with: the best options of each unit, and the units without one. */
export function Report({ rows, unplanned, scope }: ReportProps) {
  const model = catalogues.value?.model;
  // The first option of each unit by each method.
  const seen = new Set<string>();
  const best = rows.filter(({ unit, planting_method }) => {
    const key = `${unit.id} ${planting_method}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
  const { manual, drone_seeded } = settings.value.costs;
  const hasCosts = manual !== null && drone_seeded !== null;
  return (
    <article class="print-only report">
      <h2>Planting plan: {counted(units.value.length, 'unit')}</h2>
      <p>
        Of {scope}
        {hasCosts && `. Costs: ${money(manual)} a planted tree, ${money(drone_seeded)} a sown spot`}.
      </p>
      {best.length > 0 && (
        <table>
          <caption>The best species of each unit by each method</caption>
          <thead>
            <tr>
              <th scope="col">Unit</th>
              <th scope="col">Area</th>
              <th scope="col">Method</th>
              <th scope="col">Species</th>
              <th scope="col">Alive</th>
              <th scope="col">8 of 10 at a point</th>
              {hasCosts && <th scope="col">Per survivor</th>}
            </tr>
          </thead>
          <tbody>
            {best.slice(0, MAX_ROWS).map((row) => (
              <tr key={`${row.unit.id}-${row.planting_method}`}>
                <td>{row.unit.name}</td>
                <td>{areaText(row.planned.area_ha)}</td>
                <td>{METHOD_NAMES[row.planting_method]}</td>
                <td>{row.species_common_name}</td>
                <td class="amount">{percent(row.survival.mean)}</td>
                <td class="amount">
                  {percent(row.survival.low)} to {percent(row.survival.high)}
                </td>
                {hasCosts && <td class="amount">{costText(row.cost_per_survivor)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {best.length > 0 && (
        <p>
          Alive is the mean of a unit's data points. 8 of 10 at a point is the mean of their intervals: how
          sure the figure of a point is, not the mean of the unit.
        </p>
      )}
      {best.length > MAX_ROWS && <p>{best.length - MAX_ROWS} more options are in the CSV export.</p>}
      {unplanned.length > 0 && (
        <>
          <h3>Without a plan: {counted(unplanned.length, 'unit')}</h3>
          <ul>
            {unplanned.map(({ unit, error }) => (
              <li key={unit.id}>
                {unit.name}: {error}
              </li>
            ))}
          </ul>
        </>
      )}
      {METHODS.map((method) => (
        <p key={method}>
          <strong>{METHOD_NAMES[method]}:</strong> {model?.alive[method]}
        </p>
      ))}
    </article>
  );
}
