import { useState } from 'preact/hooks';
import { callJson } from '../api/service.js';
import type { Ranking } from '../api/types.js';
import { HORIZONS } from '../api/types.js';
import { METHOD_NAMES, percent, percentRange, years } from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { askedSpecies, SpeciesSets } from '../page/species-sets.js';
import { hasIntervals } from '../state/catalogues.js';
import { horizon, method, species } from '../state/choices.js';
import { settings } from '../state/plan-settings.js';
import { type Loading, useAnswer } from '../state/use-answer.js';
import { siteRequest } from './site-request.js';
import { SpeciesComparison } from './species-comparison.js';
import { Whisker } from './whisker.js';

/** Rows that are shown at first. */
const FIRST_ROWS = 8;

/** Loads the species of the chosen set at the site. @param isWanted false to ask for none */
export function useRanking(isWanted: boolean): Loading<Ranking> {
  const codes = askedSpecies(settings.value);
  const body = {
    ...siteRequest(),
    horizons: codes === undefined ? [horizon.value] : HORIZONS,
    species_codes: codes,
    native_only: settings.value.nativeOnly,
    ...(hasIntervals() ? { include: ['intervals'] } : {}),
  };
  return useAnswer(isWanted && codes?.length !== 0 ? JSON.stringify(body) : null, (signal) =>
    callJson<Ranking>('/v1/predict/rank', { body, signal }),
  );
}

/** The species of the chosen set at the site: ranked for all species, side by side for a smaller set. */
export function RankingTable({ ranking: { answer, error, isLoading } }: { ranking: Loading<Ranking> }) {
  const [isWhole, setWhole] = useState(false);
  const rows = answer?.ranking ?? [];
  const isSet = settings.value.species !== 'all';
  return (
    <section aria-busy={isLoading} class={isLoading ? 'stale' : ''}>
      <h3>
        {settings.value.nativeOnly ? 'Native species' : 'Species'}, alive after {years(horizon.value)}
      </h3>
      <div class="no-print">
        <SpeciesSets name="compared-species" />
      </div>
      {error !== null && <ErrorNote error={error} />}
      {answer !== null && rows.length === 0 && <p>No species asked for is native at this site.</p>}
      {isSet && rows.length > 0 && <SpeciesComparison rows={rows} />}
      {!isSet && rows.length > 0 && (
        <table class="ranking">
          {hasIntervals() && <caption>Lines: 8 of 10 plantings, on a scale from 0 to 100 %</caption>}
          <thead>
            <tr>
              <th scope="col">Rank</th>
              <th scope="col">Species</th>
              <th scope="col">Method</th>
              <th scope="col" class="amount">
                Alive
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, isWhole ? rows.length : FIRST_ROWS).map((row) => {
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
                    {interval !== undefined && <small>{percentRange(interval.low, interval.high)}</small>}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {!isSet && rows.length > FIRST_ROWS && (
        <button type="button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${rows.length}`}
        </button>
      )}
    </section>
  );
}
