import { useState } from 'preact/hooks';
import { callJson } from '../api/service.js';
import type { Ranking } from '../api/types.js';
import { METHOD_NAMES, percent, years } from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { horizon, method, site, species } from '../state/choices.js';
import { useAnswer } from '../state/use-answer.js';
import { siteRequest } from './site-request.js';

const FIRST = 8;

/** All native species at the site, best first. */
export function RankingTable() {
  const [isWhole, setWhole] = useState(false);
  const body = { ...siteRequest(), horizons: [horizon.value] };
  const { answer, error, isLoading } = useAnswer(
    site.value === null ? null : JSON.stringify(body),
    (signal) => callJson<Ranking>('/v1/predict/rank', { body, signal }),
  );
  const rows = answer?.ranking ?? [];
  return (
    <section aria-busy={isLoading} class={isLoading ? 'stale' : ''}>
      <h3>Native species, alive after {years(horizon.value)}</h3>
      {error !== null && <ErrorNote error={error} />}
      {answer !== null && rows.length === 0 && <p>No species is native at this site.</p>}
      {rows.length > 0 && (
        <table class="ranking">
          <thead>
            <tr>
              <th scope="col">Rank</th>
              <th scope="col">Species</th>
              <th scope="col">Method</th>
              <th scope="col">Alive</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, isWhole ? rows.length : FIRST).map((row) => {
              const { species_code, planting_method } = row;
              const survival = row.predictions[0]?.survival_probability ?? 0;
              const isShown = species_code === species.value && planting_method === method.value;
              return (
                <tr key={`${species_code}-${planting_method}`} class={isShown ? 'chosen' : ''}>
                  <td>{row.rank}</td>
                  <th scope="row">
                    <button
                      type="button"
                      class="link"
                      onClick={() => {
                        species.value = species_code;
                        method.value = planting_method;
                      }}
                    >
                      {row.species_common_name}
                    </button>
                  </th>
                  <td>{METHOD_NAMES[planting_method]}</td>
                  <td class="amount">{percent(survival)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {rows.length > FIRST && (
        <button type="button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${rows.length}`}
        </button>
      )}
    </section>
  );
}
