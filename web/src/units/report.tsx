import { METHODS } from '../api/types.js';
import { METHOD_NAMES, number, percent, years } from '../page/format.js';
import { catalogues } from '../state/catalogues.js';
import { horizon, precipitationPercent, warmingC } from '../state/choices.js';
import { costs, units } from '../state/units.js';
import { costText, type PlanRow } from './plan-rows.js';

/** Options that fit on two pages beside the map. */
const MAX_ROWS = 44;

/** The plan on paper: map, the best option of each unit by each method, and what the figures are. */
export function Report({ rows, picture }: { rows: readonly PlanRow[]; picture: string | undefined }) {
  const model = catalogues.value?.model;
  // The first option of each unit by each method.
  const seen = new Set<string>();
  const best = rows.filter(({ unit, planting_method }) => {
    const key = `${unit.id} ${planting_method}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
  const { manual, drone_seeded } = costs.value;
  const hasCosts = manual !== null && drone_seeded !== null;
  return (
    <article class="print-only report">
      <h2>Planting plan: {units.value.length} units</h2>
      <p>
        {new Date().toLocaleDateString('en-US', { dateStyle: 'long' })}. Survival after {years(horizon.value)}
        {warmingC.value === 0 && precipitationPercent.value === 0
          ? ", today's climate"
          : `, ${warmingC.value} °C warmer, precipitation ${precipitationPercent.value} %`}
        {hasCosts && `. Costs: $${manual} a planted tree, $${drone_seeded} a sown spot`}. Model{' '}
        {model?.version}.
      </p>
      <p class="caution">{model?.caution}</p>
      {picture !== undefined && <img src={picture} alt="The map with the units" />}
      <table>
        <caption>The best species of each unit by each method</caption>
        <thead>
          <tr>
            <th scope="col">Unit</th>
            <th scope="col">Area</th>
            <th scope="col">Method</th>
            <th scope="col">Species</th>
            <th scope="col">Alive</th>
            <th scope="col">8 of 10</th>
            {hasCosts && <th scope="col">Per survivor</th>}
          </tr>
        </thead>
        <tbody>
          {best.slice(0, MAX_ROWS).map((row) => (
            <tr key={`${row.unit.id}-${row.planting_method}`}>
              <td>{row.unit.name}</td>
              <td>{number(row.planned.area_ha, 1)} ha</td>
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
      {best.length > MAX_ROWS && <p>{best.length - MAX_ROWS} more options are in the CSV export.</p>}
      {METHODS.map((method) => (
        <p key={method}>
          <strong>{METHOD_NAMES[method]}:</strong> {model?.alive[method]}
        </p>
      ))}
    </article>
  );
}
