import { METHODS, type PlanOption } from '../api/types.js';
import { areaText, areaUnit, counted, METHOD_NAMES, measureOf, money, number } from '../page/format.js';
import { namesOf } from '../page/notes.js';
import { settings } from '../state/plan-settings.js';
import { type OrderLine, orderLines, type PlanRow, unitsWithoutOrder } from './plan-rows.js';

/** What is ordered: trees for hand planting, pods for sowing by drone. */
const THINGS: Readonly<Record<PlanOption['planting_method'], string>> = {
  manual: 'tree',
  drone_seeded: 'pod',
};

/** The order of one option of a unit, with trees or pods per area from its total. */
export function orderText({ order, planned, planting_method, survival }: PlanRow): string {
  if (order === undefined) return '';
  if (order === null) return survival.mean > 0 ? 'low end is 0\u00a0%' : 'none survives';
  const area = measureOf('ha').fromMetric(planned.area_ha);
  return [
    counted(order.total, THINGS[planting_method]),
    ...(area > 0 ? [`${number(order.total / area)}\u00a0per\u00a0${areaUnit()}`] : []),
    ...(order.cost === undefined ? [] : [money(order.cost)]),
  ].join(', ');
}

/** The order of the whole plan: the best option of each unit, by species and method. Nothing without a target. */
export function OrderTable({ rows }: { rows: readonly PlanRow[] }) {
  const without = unitsWithoutOrder(rows);
  return (
    <>
      <Lines lines={orderLines(rows)} />
      {without.length > 0 && (
        <p class="small">
          No order for {counted(without.length, 'unit')}, where{' '}
          {settings.value.basis === 'low'
            ? 'the low end of the best option is 0\u00a0%'
            : 'no tree of the best option survives'}
          : {namesOf(without)}.
        </p>
      )}
    </>
  );
}

function Lines({ lines }: { lines: readonly OrderLine[] }) {
  if (lines.length === 0) return null;
  const hasCosts = lines.every(({ cost }) => cost !== undefined);
  const sum = (value: (line: OrderLine) => number) => lines.reduce((all, line) => all + value(line), 0);
  return (
    <table class="order">
      <caption>Total order, for the best option of each unit</caption>
      <thead>
        <tr>
          <th scope="col">Species, method</th>
          <th scope="col" class="amount">
            Order
          </th>
          {hasCosts && (
            <th scope="col" class="amount">
              Cost
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ species, method, units, areaHa, total, cost }) => (
          <tr key={`${species} ${method}`}>
            <th scope="row">
              {species}, {METHOD_NAMES[method].toLowerCase()}
              <br />
              <small>
                {counted(units, 'unit')}, {areaText(areaHa)}
              </small>
            </th>
            <td class="amount">{counted(total, THINGS[method])}</td>
            {hasCosts && <td class="amount">{money(cost ?? 0)}</td>}
          </tr>
        ))}
      </tbody>
      {lines.length > 1 && (
        <tfoot>
          <tr>
            <th scope="row">
              In all
              <br />
              <small>
                {counted(
                  sum(({ units }) => units),
                  'unit',
                )}
                , {areaText(sum(({ areaHa }) => areaHa))}
              </small>
            </th>
            <td class="amount">
              {METHODS.map((method) => ({
                method,
                total: sum((line) => (line.method === method ? line.total : 0)),
              }))
                .filter(({ total }) => total > 0)
                .map(({ method, total }) => counted(total, THINGS[method]))
                .join(', ')}
            </td>
            {hasCosts && <td class="amount">{money(sum(({ cost }) => cost ?? 0))}</td>}
          </tr>
        </tfoot>
      )}
    </table>
  );
}
