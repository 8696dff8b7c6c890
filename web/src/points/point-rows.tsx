import { useEffect, useRef, useState } from 'preact/hooks';
import { shownMap } from '../map/shown-map.js';
import { number, percent, pointsText } from '../page/format.js';
import { chooseSite } from '../state/choices.js';
import { chosenRow, positionOf, type Row, type ScoredPoints, survivalOf } from '../state/points.js';

/** Rows that are shown at first. */
const FIRST_ROWS = 20;
const POINT_ZOOM = 10;

/** The answered rows of a file, the chosen one in full. */
export function PointRows({ scored }: { scored: ScoredPoints }) {
  const [limit, setLimit] = useState(FIRST_ROWS);
  const { rows } = scored;
  const chosen = chosenRow.value === null ? undefined : rows[chosenRow.value];
  return (
    <>
      {chosen !== undefined && <WholeRow key={chosenRow.value} row={chosen} scored={scored} />}
      <div class="table">
        <table class="rows">
          <caption>{rows.length > limit ? `The first ${number(limit)} points` : 'All points'}</caption>
          <thead>
            <tr>
              <th scope="col">Point</th>
              <th scope="col">Alive</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, limit).map((row, index) => (
              <tr key={index} class={chosenRow.value === index ? 'chosen' : ''}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => show(row, index)}>
                    {titleOf(row, index, scored)}
                  </button>
                </th>
                <td>{row.error_message || <Survival row={row} scored={scored} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > limit && (
        <button type="button" onClick={() => setLimit(limit + 10 * FIRST_ROWS)}>
          Show more
        </button>
      )}
    </>
  );
}

function show(row: Row, index: number): void {
  chosenRow.value = index;
  const center = positionOf(row);
  const map = shownMap.peek();
  if (center !== null) map?.easeTo({ center, zoom: Math.max(map.getZoom(), POINT_ZOOM) });
}

/** The number of a row, and its first column unless that is a coordinate. */
function titleOf(row: Row, index: number, { columns }: ScoredPoints) {
  const first = columns[0];
  const isCoordinate = first === undefined || /^(lat|lon|lng|x$|y$)/i.test(first.trim());
  const text = isCoordinate ? '' : (row[first] ?? '').slice(0, 60);
  return (
    <>
      Point {number(index + 1)}
      {text && ': '}
      <bdi>{text}</bdi>
    </>
  );
}

function Survival({ row, scored }: { row: Row; scored: ScoredPoints }) {
  const { horizon } = scored.question;
  const [low, high] = [row[`low_${horizon}`], row[`high_${horizon}`]];
  return (
    <>
      {percent(survivalOf(row, horizon) ?? 0)}
      {low && high && (
        <small>
          {' '}
          8 of 10: {percent(Number(low))} to {percent(Number(high))}
        </small>
      )}
    </>
  );
}

function WholeRow({ row, scored }: { row: Row; scored: ScoredPoints }) {
  const { columns, question } = scored;
  const { horizon } = question;
  const index = chosenRow.value ?? 0;
  const heading = useRef<HTMLHeadingElement>(null);
  // The row may have been chosen on the map.
  useEffect(() => heading.current?.scrollIntoView({ block: 'nearest' }), []);
  const factors = [1, 2, 3]
    .filter((rank) => row[`factor_${horizon}_${rank}`])
    .map((rank) => ({
      factor: row[`factor_${horizon}_${rank}`],
      contribution: Number(row[`contribution_${horizon}_${rank}`]),
    }));
  const own = columns.slice(0, columns.indexOf('matched_latitude'));
  const place = positionOf(row);
  return (
    <section class="whole-row" aria-live="polite">
      <h3 ref={heading}>{titleOf(row, index, scored)}</h3>
      <p>{row.error_message || <Survival row={row} scored={scored} />}</p>
      {factors.length > 0 && <h4>Strongest factors, against the average site</h4>}
      <dl>
        {factors.map(({ factor, contribution }) => (
          <div key={factor}>
            <dt>{factor}</dt>
            <dd>{pointsText(contribution)} points</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>Columns of the file</summary>
        <dl>
          {own.map((name) => (
            <div key={name}>
              <dt dir="auto">{name}</dt>
              <dd dir="auto">{row[name]}</dd>
            </div>
          ))}
        </dl>
      </details>
      <div class="buttons">
        {place !== null && !row.error_message && (
          <button type="button" onClick={() => chooseSite({ longitude: place[0], latitude: place[1] })}>
            Show this site
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            chosenRow.value = null;
          }}
        >
          Close the point
        </button>
      </div>
    </section>
  );
}
