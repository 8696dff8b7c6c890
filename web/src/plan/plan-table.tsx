import { useState } from 'preact/hooks';
import { showBox } from '../map/shown-map.js';
import { Explained } from '../page/explained.js';
import {
  areaText,
  costText,
  counted,
  distanceText,
  METHOD_NAMES,
  money,
  number,
  percent,
  percentRange,
} from '../page/format.js';
import { changeSettings, type RankBy, type SortKey, settings } from '../state/plan-settings.js';
import { boxOf, chosenUnit } from '../state/units.js';
import { orderText } from './order-table.js';
import { areCompared, type PlanRow, sortRows } from './plan-rows.js';

/** Options that are shown at first. */
const FIRST_ROWS = 100;

/** The order of the options within a unit, as a part of a sentence. */
const ORDER_NAMES: Readonly<Record<RankBy, string>> = {
  cost: 'cheapest survivor first',
  survival: 'highest survival first',
  safest: 'safest first',
};

interface PlanTableProps {
  rows: readonly PlanRow[];
  hasCosts: boolean;
  rankBy: RankBy;
}

/** The options of the units: sorted, filtered, and linked with the map. */
export function PlanTable({ rows, hasCosts, rankBy }: PlanTableProps) {
  const comparesToday = areCompared(rows);
  const { sort, onlyBest, filter } = settings.value;
  const [limit, setLimit] = useState(FIRST_ROWS);
  const wanted = filter.trim().toLowerCase();
  const matches = (row: PlanRow) =>
    (!onlyBest || row.rank === 1) &&
    `${row.unit.name} ${row.species_common_name} ${row.species_code} ${METHOD_NAMES[row.planting_method]}`
      .toLowerCase()
      .includes(wanted);
  const shown = sortRows(rows.filter(matches), sort.by, sort.isReversed);
  // "Alive" begins with the highest survival.
  const isDescending = sort.isReversed !== (sort.by === 'survival');
  const heading = (by: SortKey, title: string, isAmount = false) => (
    <th
      scope="col"
      class={isAmount ? 'amount' : ''}
      aria-sort={sort.by !== by ? 'none' : isDescending ? 'descending' : 'ascending'}
    >
      <button
        type="button"
        class="sort"
        onClick={() => {
          changeSettings({ sort: { by, isReversed: sort.by === by && !sort.isReversed } });
        }}
      >
        {title} {sort.by !== by ? '' : isDescending ? '▾' : '▴'}
      </button>
    </th>
  );
  return (
    <section>
      <h3>Plan</h3>
      <div class="filters">
        <label>
          Filter
          <input
            type="search"
            value={filter}
            placeholder="unit, species or method"
            onInput={({ currentTarget }) => {
              changeSettings({ filter: currentTarget.value });
            }}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={onlyBest}
            onChange={() => {
              changeSettings({ onlyBest: !onlyBest });
            }}
          />
          Best option of each unit only
        </label>
      </div>
      <div class="table">
        <table class="plan">
          <caption>
            {number(shown.length)} of {number(rows.length)} options
            {sort.by === 'unit' && `, ${ORDER_NAMES[rankBy]} within a unit`}
            {comparesToday && ". Today: alive in today's climate"}
          </caption>
          <thead>
            <tr>
              {heading('unit', 'Unit')}
              {!onlyBest && heading('rank', '#')}
              {heading('species', 'Species, method')}
              {heading('survival', 'Alive', true)}
              {comparesToday && (
                <th scope="col" class="amount">
                  Today
                </th>
              )}
              {hasCosts && heading('cost', 'Per survivor', true)}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, limit).map((row) => (
              <Row
                key={`${row.unit.id}-${row.species_code}-${row.planting_method}`}
                row={row}
                hasRank={!onlyBest}
                hasCosts={hasCosts}
                comparesToday={comparesToday}
              />
            ))}
          </tbody>
        </table>
      </div>
      {hasCosts && (
        <Explained question="What does “hand pays below” mean?">
          The cost of a planted tree below which hand planting has the cheaper survivor at this place, with
          the cost of a sown spot as typed above. “–” where it needs no comparison.
        </Explained>
      )}
      {shown.length > limit && (
        <button type="button" onClick={() => setLimit(limit + 10 * FIRST_ROWS)}>
          Show more
        </button>
      )}
    </section>
  );
}

interface RowProps {
  row: PlanRow;
  hasRank: boolean;
  hasCosts: boolean;
  comparesToday: boolean;
}

function Row({ row, hasRank, hasCosts, comparesToday }: RowProps) {
  const { unit, planned, survival, handPaysBelow, isUnsure } = row;
  const choose = () => {
    chosenUnit.value = unit.id;
    showBox(boxOf([unit]));
  };
  const classes = `${chosenUnit.value === unit.id ? 'chosen' : ''} ${isUnsure ? 'unsure' : ''}`;
  const hasMore = row.order !== undefined || handPaysBelow !== undefined;
  return (
    <>
      <tr class={`${classes} ${hasMore ? 'has-more' : ''}`}>
        <th scope="row">
          <button type="button" class="link" onClick={choose}>
            <bdi>{unit.name}</bdi>
          </button>
          <br />
          <small>
            {areaText(planned.area_ha)},{' '}
            {planned.data_points === 0
              ? `nearest point ${distanceText(planned.nearest_km)} away`
              : counted(planned.data_points, 'point')}
          </small>
        </th>
        {hasRank && <td>{row.rank}</td>}
        <td>
          {row.species_common_name}
          <br />
          <small>
            {METHOD_NAMES[row.planting_method]}
            {!row.in_native_range && ', outside its native range'}
          </small>
        </td>
        <td class="amount">
          {percent(survival.mean)}
          <br />
          <small>
            {percentRange(survival.low, survival.high)}
            {planned.data_points > 1 && (
              <>
                <br />
                <span title="8 of 10 data points of the unit">
                  points <span>{percentRange(survival.p10, survival.p90)}</span>
                </span>
              </>
            )}
            {isUnsure && (
              <>
                <br />
                <em class="unsure-mark">unsure</em>
              </>
            )}
          </small>
        </td>
        {comparesToday && (
          <td class="amount">{row.survivalToday !== undefined && percent(row.survivalToday)}</td>
        )}
        {hasCosts && <td class="amount">{costText(row.cost_per_survivor)}</td>}
      </tr>
      {hasMore && (
        <tr class={classes}>
          <td colSpan={3 + [hasRank, hasCosts, comparesToday].filter(Boolean).length}>
            <small>
              {row.order !== undefined && `Order: ${orderText(row)}. `}
              {handPaysBelow !== undefined && `Hand pays below ${money(handPaysBelow)} a planted tree.`}
            </small>
          </td>
        </tr>
      )}
    </>
  );
}
