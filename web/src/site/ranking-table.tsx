import { useState } from 'preact/hooks';
import { callJson } from '../api/service.js';
import type { Method, Ranking } from '../api/types.js';
import { METHOD_NAMES, percent, years } from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { hasIntervals } from '../state/catalogues.js';
import { horizon, method, species } from '../state/choices.js';
import { type Loading, useAnswer } from '../state/use-answer.js';
import { siteRequest } from './site-request.js';

const FIRST = 8;
/** Units of the drawing. */
const [WHISKER_SCALE, WHISKER_MARGIN] = [100, 5];

/** Loads the native species at the site. @param isWanted false to ask for none */
export function useRanking(isWanted: boolean): Loading<Ranking> {
  const body = {
    ...siteRequest(),
    horizons: [horizon.value],
    ...(hasIntervals() ? { include: ['intervals'] } : {}),
  };
  return useAnswer(isWanted ? JSON.stringify(body) : null, (signal) =>
    callJson<Ranking>('/v1/predict/rank', { body, signal }),
  );
}

/** All native species at the site, best first. */
export function RankingTable({ ranking: { answer, error, isLoading } }: { ranking: Loading<Ranking> }) {
  const [isWhole, setWhole] = useState(false);
  const rows = answer?.ranking ?? [];
  return (
    <section aria-busy={isLoading} class={isLoading ? 'stale' : ''}>
      <h3>Native species, alive after {years(horizon.value)}</h3>
      {error !== null && <ErrorNote error={error} />}
      {answer !== null && rows.length === 0 && <p>No species is native at this site.</p>}
      {rows.length > 0 && (
        <table class="ranking">
          {hasIntervals() && <caption>Lines: 8 of 10 plantings, on a scale from 0 to 100 %</caption>}
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
              const [prediction] = row.predictions;
              if (prediction === undefined) return null;
              const { survival_probability: survival, interval } = prediction;
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
                  <td>
                    <small>{METHOD_NAMES[planting_method]}</small>
                    {interval !== undefined && (
                      <Whisker method={planting_method} survival={survival} interval={interval} />
                    )}
                  </td>
                  <td class="amount">
                    {percent(survival)}
                    {interval !== undefined && (
                      <small>
                        {percent(interval.low)} to {percent(interval.high)}
                      </small>
                    )}
                  </td>
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

interface WhiskerProps {
  method: Method;
  survival: number;
  interval: { readonly low: number; readonly high: number };
}

/** Survival with its interval on a scale from 0 to 1; the text beside it says the same. */
function Whisker({ method, survival, interval: { low, high } }: WhiskerProps) {
  const at = (share: number) => WHISKER_MARGIN + share * WHISKER_SCALE;
  return (
    <svg
      class={`whisker ${method}`}
      viewBox={`0 0 ${WHISKER_SCALE + 2 * WHISKER_MARGIN} 12`}
      aria-hidden="true"
    >
      <line class="grid" x1={at(0)} x2={at(1)} y1="6" y2="6" />
      <path d={`M${at(low)} 2V10M${at(low)} 6H${at(high)}M${at(high)} 2V10`} />
      {method === 'manual' ? (
        <circle cx={at(survival)} cy="6" r="4" />
      ) : (
        <rect x={at(survival) - 3.5} y="2.5" width="7" height="7" />
      )}
    </svg>
  );
}
