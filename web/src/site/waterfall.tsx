import type { Prediction } from '../api/types.js';
import { Explained } from '../page/explained.js';
import { measureOf, number, percent, pointsText, quantity } from '../page/format.js';

/** Features that are shown one by one; the others are one row. */
const SHOWN = 9;

const decimalsOf = (unit: string) =>
  ['mm', 'm', '%'].includes(unit) && measureOf(unit).name !== 'in'
    ? 0
    : unit === 'MJ/cm2/a' || unit === '1'
      ? 2
      : 1;

/** The contributions of the features, from the average site to this one. */
export function Waterfall({ prediction }: { prediction: Prediction }) {
  const { baseline, contributions, survival_probability } = prediction;
  if (baseline === undefined || contributions === undefined) return null;
  const shown = contributions.slice(0, SHOWN);
  const rest = contributions.slice(SHOWN).reduce((sum, { contribution }) => sum + contribution, 0);
  const steps = [...shown.map(({ contribution }) => contribution), rest];
  const levels = [baseline];
  for (const step of steps) levels.push(levels.at(-1)! + step);
  const low = Math.max(0, Math.min(...levels) - 0.02);
  const high = Math.min(1, Math.max(...levels) + 0.02);
  const at = (level: number) => ((level - low) / (high - low)) * 100;
  return (
    <>
      <table class="waterfall">
        <caption>
          From the average site of this species and method to this site, in percentage points. Scale:{' '}
          {percent(low)} to {percent(high)}.
        </caption>
        <tbody>
          <tr>
            <th scope="row">Average site</th>
            <td class="bar">
              <Bar from={0} to={at(baseline)} kind="total" />
            </td>
            <td class="amount">{percent(baseline)}</td>
          </tr>
          {shown.map(({ feature, factor, value, unit, average, contribution }, index) => (
            <tr key={feature}>
              <th scope="row">
                {factor}
                <small>
                  {quantity(value, unit, decimalsOf(unit))}, average{' '}
                  {number(measureOf(unit).fromMetric(average), decimalsOf(unit))}
                </small>
              </th>
              <td class="bar">
                <Bar
                  from={at(levels[index])}
                  to={at(levels[index + 1])}
                  kind={contribution < 0 ? 'loss' : 'gain'}
                />
              </td>
              <td class="amount">{pointsText(contribution)}</td>
            </tr>
          ))}
          {contributions.length > SHOWN && (
            <tr>
              <th scope="row">{contributions.length - SHOWN} others</th>
              <td class="bar">
                <Bar from={at(levels[SHOWN])} to={at(levels[SHOWN + 1])} kind={rest < 0 ? 'loss' : 'gain'} />
              </td>
              <td class="amount">{pointsText(rest)}</td>
            </tr>
          )}
          <tr>
            <th scope="row">This site</th>
            <td class="bar">
              <Bar from={0} to={at(survival_probability)} kind="total" />
            </td>
            <td class="amount">{percent(survival_probability)}</td>
          </tr>
        </tbody>
      </table>
      {shown.some(({ feature }) => feature === 'vpd_max') && (
        <Explained question="What is vapor pressure deficit?">
          How much more water vapor the air could hold: how strongly it dries a seedling. It rises with heat
          and falls with humidity. Here it is the daily maximum, averaged over the year; 10 hPa are 1 kPa.
        </Explained>
      )}
    </>
  );
}

function Bar({ from, to, kind }: { from: number; to: number; kind: 'total' | 'gain' | 'loss' }) {
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class={kind} x={Math.min(from, to)} width={Math.max(0.8, Math.abs(to - from))} y="1" height="8" />
    </svg>
  );
}
