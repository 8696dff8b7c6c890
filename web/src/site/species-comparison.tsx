import type { Method, Ranking } from '../api/types.js';
import { METHODS } from '../api/types.js';
import { METHOD_NAMES, percent, percentRange, years } from '../page/format.js';
import { hasIntervals } from '../state/catalogues.js';
import { horizon, isAtHorizon, method, species } from '../state/choices.js';
import { Whisker } from './whisker.js';

type Row = Ranking['ranking'][number];

/** The species of a set side by side at one site, by both methods and over the years; the best first. */
export function SpeciesComparison({ rows }: { rows: readonly Row[] }) {
  const codes = [...new Set(rows.map(({ species_code }) => species_code))];
  const survivalOf = (row: Row | undefined) => row?.predictions.find(isAtHorizon)?.survival_probability ?? 0;
  const best = (each: readonly Row[]) => Math.max(...each.map(survivalOf));
  const ordered = codes
    .map((code) => rows.filter(({ species_code }) => species_code === code))
    .sort((a, b) => best(b) - best(a));
  return (
    <div class="table">
      <table class="side-by-side">
        {hasIntervals() && (
          <caption>Lines: 8 of 10 plantings after {years(horizon.value)}, on a scale from 0 to 100 %</caption>
        )}
        <thead>
          <tr>
            <th scope="col">Species</th>
            {METHODS.map((each) => (
              <th key={each} scope="col">
                {METHOD_NAMES[each]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.map((each) => {
            const { species_code, species_common_name, in_native_range } = each[0];
            return (
              <tr key={species_code} class={species_code === species.value ? 'chosen' : ''}>
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    onClick={() => {
                      species.value = species_code;
                    }}
                  >
                    {species_common_name}
                  </button>
                  {!in_native_range && <small>outside its native range</small>}
                </th>
                {METHODS.map((by) => (
                  <Cell key={by} by={by} row={each.find(({ planting_method }) => planting_method === by)} />
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ by, row }: { by: Method; row: Row | undefined }) {
  const shown = row?.predictions.find(isAtHorizon);
  if (row === undefined || shown === undefined) return <td>–</td>;
  const { survival_probability, interval } = shown;
  const others = row.predictions.filter((each) => !isAtHorizon(each));
  return (
    <td class={by === method.value ? 'is-chosen' : ''}>
      <strong>{percent(survival_probability)}</strong>
      {interval !== undefined && (
        <>
          <Whisker method={by} survival={survival_probability} interval={interval} />
          <small>{percentRange(interval.low, interval.high)}</small>
        </>
      )}
      <small>
        {others
          .map((each) => `${years(each.horizon_years)}: ${percent(each.survival_probability)}`)
          .join(', ')}
      </small>
    </td>
  );
}
