import type { Comparison, Method, Prediction } from '../api/types.js';
import { METHODS } from '../api/types.js';
import { METHOD_NAMES, percent, years } from '../page/format.js';
import { hasIntervals } from '../state/catalogues.js';

const [WIDTH, HEIGHT] = [400, 190];
const [LEFT, RIGHT, TOP, BOTTOM] = [38, 12, 10, 26];
const YEARS = [1, 2, 3, 4, 5];

const x = (year: number) => LEFT + ((year - 1) / 4) * (WIDTH - LEFT - RIGHT);
const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
const path = (corners: readonly (readonly [number, number])[]) =>
  corners
    .map(([across, down], index) => `${index === 0 ? 'M' : 'L'}${across.toFixed(1)} ${down.toFixed(1)}`)
    .join('');

/** Both methods' survival by year, with interval bands, and a table for screen readers. */
export function SurvivalChart({ comparison }: { comparison: Comparison['comparison'] }) {
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label="Survival by year; the table after it has the numbers"
      >
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <g key={share}>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(share)} y2={y(share)} />
            <text x={LEFT - 5} y={y(share) + 4} text-anchor="end">
              {share * 100} %
            </text>
          </g>
        ))}
        {YEARS.map((year) => (
          <text key={year} x={x(year)} y={HEIGHT - 8} text-anchor="middle">
            {year === 1 ? 'Year 1' : year}
          </text>
        ))}
        {METHODS.map((method) => (
          <Curve key={method} method={method} predictions={comparison[method].predictions} />
        ))}
      </svg>
      <figcaption>
        {METHODS.map((method) => (
          <span key={method} class={`key ${method}`}>
            {METHOD_NAMES[method]}
          </span>
        ))}
        {hasIntervals() && <span>Bands: 8 of 10 plantings</span>}
      </figcaption>
      <table class="for-readers">
        <caption>Survival by year</caption>
        <tbody>
          {METHODS.flatMap((method) =>
            comparison[method].predictions.map(({ horizon_years, survival_probability, interval }) => (
              <tr key={`${method}-${horizon_years}`}>
                <th scope="row">
                  {METHOD_NAMES[method]}, {years(horizon_years)}
                </th>
                <td>{percent(survival_probability)}</td>
                <td>
                  {interval === undefined ? '' : `${percent(interval.low)} to ${percent(interval.high)}`}
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </figure>
  );
}

function Curve({ method, predictions }: { method: Method; predictions: readonly Prediction[] }) {
  const banded = predictions.flatMap(({ horizon_years, interval }) =>
    interval === undefined ? [] : [{ horizon_years, ...interval }],
  );
  const highs = banded.map(({ horizon_years, high }) => [x(horizon_years), y(high)] as const);
  const lows = banded.map(({ horizon_years, low }) => [x(horizon_years), y(low)] as const).reverse();
  return (
    <g class={`curve ${method}`}>
      {banded.length > 0 && <path class="band" d={`${path([...highs, ...lows])}Z`} />}
      <path
        class="line"
        d={path(predictions.map((each) => [x(each.horizon_years), y(each.survival_probability)] as const))}
      />
      {predictions.map(({ horizon_years, survival_probability }) =>
        method === 'manual' ? (
          <circle key={horizon_years} cx={x(horizon_years)} cy={y(survival_probability)} r="4" />
        ) : (
          <rect
            key={horizon_years}
            x={x(horizon_years) - 4}
            y={y(survival_probability) - 4}
            width="8"
            height="8"
          />
        ),
      )}
    </g>
  );
}
