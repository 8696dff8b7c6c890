import { METHODS } from '../api/types.js';
import {
  areaText,
  costText,
  counted,
  METHOD_NAMES,
  percent,
  percentRange,
  typedNumber,
  typedPercent,
} from '../page/format.js';
import { PrintedMap } from '../page/printed-map.js';
import { catalogues } from '../state/catalogues.js';
import { bothCosts, type RankBy, settings } from '../state/plan-settings.js';
import { units } from '../state/units.js';
import { OrderBasis, WrongTargets } from './order-basis.js';
import { OrderTable, orderText } from './order-table.js';
import { areCompared, type PlanRow, type UnplannedUnit } from './plan-rows.js';

/** Most units with an option by each method: they fit on two pages with the map. */
const MAX_UNITS_BY_METHOD = 22;

const RANKED: Readonly<Record<RankBy, string>> = {
  cost: 'with the cheapest survivor',
  survival: 'with the highest survival',
  safest: 'with the highest low end',
};

interface ReportProps {
  rows: readonly PlanRow[];
  unplanned: readonly UnplannedUnit[];
  /** The species that were asked for, as a part of a sentence. */
  scope: string;
  rankBy: RankBy;
}

/** The plan on paper, below the heading of all prints: totals, the best options of each unit, and units without one. */
export function Report({ rows, unplanned, scope, rankBy }: ReportProps) {
  const model = catalogues.value?.model;
  const { threshold } = settings.value;
  const costs = bothCosts(settings.value);
  const comparesToday = areCompared(rows);
  const hasOrders = rows.some(({ order }) => order !== undefined);
  const best = rows.filter(({ rank }) => rank === 1);
  const isByMethod = best.length <= MAX_UNITS_BY_METHOD;
  const seen = new Set<string>();
  const printed = isByMethod
    ? rows.filter(({ unit, planting_method }) => {
        const key = `${unit.id} ${planting_method}`;
        return !seen.has(key) && seen.add(key) !== undefined;
      })
    : best;
  const areaHa = best.reduce((sum, { planned }) => sum + planned.area_ha, 0);
  return (
    <article class="print-only report">
      <h2>Planting plan: {counted(units.value.length, 'unit')}</h2>
      {best.length > 0 && (
        <p>
          {areaText(areaHa)} planned. Of {scope}, the species {RANKED[rankBy]}
          {costs &&
            `. Costs: $${typedNumber(costs.manual, 2)} a planted tree, $${typedNumber(costs.drone_seeded, 2)} a sown spot`}
          .
        </p>
      )}
      <OrderBasis />
      <WrongTargets />
      <OrderTable rows={rows} />
      <PrintedMap />
      {best.length > 0 && (
        <table>
          <caption>
            {isByMethod ? 'The best species of each unit by each method; ' : 'The best option of each unit; '}
            numbers are those on the map, with ? where the best option is unsure
          </caption>
          <thead>
            <tr>
              <th scope="col" class="amount">
                No.
              </th>
              <th scope="col">Unit</th>
              <th scope="col" class="amount">
                Area
              </th>
              <th scope="col">Method</th>
              <th scope="col">Species</th>
              <th scope="col" class="amount">
                Alive
              </th>
              {comparesToday && (
                <th scope="col" class="amount">
                  Today
                </th>
              )}
              <th scope="col" class="amount">
                8 of 10 at a point
              </th>
              {hasOrders && (
                <th scope="col" class="amount">
                  Order
                </th>
              )}
              {costs && (
                <th scope="col" class="amount">
                  Per survivor
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {printed.map((row) => (
              <tr key={`${row.unit.id}-${row.planting_method}`} class={row.isUnsure ? 'unsure' : ''}>
                <td class="amount">{row.number}</td>
                <td class="name">
                  <bdi>{row.unit.name}</bdi>
                </td>
                <td class="amount">{areaText(row.planned.area_ha)}</td>
                <td>{METHOD_NAMES[row.planting_method]}</td>
                <td>{row.species_common_name}</td>
                <td class="amount">{percent(row.survival.mean)}</td>
                {comparesToday && (
                  <td class="amount">{row.survivalToday !== undefined && percent(row.survivalToday)}</td>
                )}
                <td class="amount">
                  {percentRange(row.survival.low, row.survival.high)}
                  {row.isUnsure && ', unsure'}
                </td>
                {hasOrders && <td class="amount order-of-unit">{orderText(row)}</td>}
                {costs && <td class="amount">{costText(row.cost_per_survivor)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {best.length > 0 && (
        <p>
          Alive is the mean of a unit's data points. {comparesToday && "Today: the same in today's climate. "}
          8 of 10 at a point is the mean of their intervals: how sure the figure of a point is, not the mean
          of the unit. Areas are rounded one by one. Unsure: its low end is below {typedPercent(threshold)}.
        </p>
      )}
      {unplanned.length > 0 && (
        <>
          <h3>Without a plan: {counted(unplanned.length, 'unit')}</h3>
          <ul>
            {unplanned.map(({ unit, error }) => (
              <li key={unit.id}>
                <bdi>{unit.name}</bdi>: {error}
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
