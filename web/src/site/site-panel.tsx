import { NurselogError } from '@nurselog/client/nurselog-error';
import { callJson } from '../api/service.js';
import type { Comparison } from '../api/types.js';
import { METHODS } from '../api/types.js';
import { EightOfTen } from '../page/explained.js';
import {
  bothElevations,
  distanceText,
  METHOD_NAMES,
  percent,
  pointsText,
  regionName,
  years,
} from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { catalogues, hasIntervals } from '../state/catalogues.js';
import { horizon, isAtHorizon, method, site, species } from '../state/choices.js';
import { useAnswer } from '../state/use-answer.js';
import { CopyButtons } from './copy-buttons.js';
import { NearestPoint } from './nearest-point.js';
import { OwnValues } from './own-values.js';
import { PlaceForm } from './place-form.js';
import { RankingTable, useRanking } from './ranking-table.js';
import { siteRequest } from './site-request.js';
import { SurvivalChart } from './survival-chart.js';
import { Waterfall } from './waterfall.js';

/** All about one site and the chosen species. */
export function SitePanel() {
  const body = {
    ...siteRequest(),
    species_code: species.value,
    include: [...(hasIntervals() ? ['intervals'] : []), 'explanation', 'site'],
  };
  const question = site.value === null ? null : JSON.stringify(body);
  const { answer, error, isLoading } = useAnswer(question, (signal) =>
    callJson<Comparison>('/v1/predict/compare', { body, signal }),
  );
  const ranking = useRanking(question !== null && answer !== null);
  return (
    <>
      <h2>Site</h2>
      <PlaceForm />
      {site.value === null && (
        <p class="hint">Click the map, or enter a place, to see how trees would do there.</p>
      )}
      {error !== null && <ErrorNote error={error} />}
      {error !== null && <NearestPoint error={error} />}
      {/* There from the start, so that screen readers tell its changes; an earlier answer shows for itself. */}
      <p role="status" class={isLoading && answer === null ? '' : 'for-readers'}>
        {question !== null && isLoading && 'Loading …'}
        {answer !== null && !isLoading && summaryOf(answer)}
      </p>
      {answer !== null && question !== null && (
        <div aria-busy={isLoading} class={isLoading ? 'stale' : ''}>
          <SiteAnswer answer={answer} />
        </div>
      )}
      {/* Also without an answer: the service may have refused what is typed there. */}
      {site.value !== null && (
        <OwnValues
          key={`${site.value.latitude},${site.value.longitude}`}
          answer={answer}
          matchedM={answer?.site.matched_elevation_m ?? refusedMatch(error)}
        />
      )}
      {answer !== null && question !== null && (
        <>
          <RankingTable ranking={ranking} />
          <CopyButtons body={body} isLoading={isLoading || ranking.isLoading} />
        </>
      )}
    </>
  );
}

/** An answer in a sentence. */
function summaryOf({ comparison, species_common_name }: Comparison): string {
  const methods = METHODS.map((each) => {
    const prediction = comparison[each].predictions.find(isAtHorizon);
    return `${METHOD_NAMES[each].toLowerCase()} ${percent(prediction?.survival_probability ?? 0)}`;
  });
  return `${species_common_name}, alive after ${years(horizon.value)}: ${methods.join(', ')}.`;
}

/** The elevation of the matched point, if the site's own was refused because it is too far from it. */
function refusedMatch(error: Error | null): number | undefined {
  if (!(error instanceof NurselogError) || error.code !== 'elevation_mismatch') return undefined;
  return (error.details as { matched_elevation_m: number }).matched_elevation_m;
}

function SiteAnswer({ answer }: { answer: Comparison }) {
  const { comparison, method_differential } = answer;
  const difference = method_differential.find(isAtHorizon);
  const shown = comparison[method.value].predictions.find(isAtHorizon);
  return (
    <>
      <h3>
        {answer.species_common_name}, alive after {years(horizon.value)}
      </h3>
      <div class="tiles">
        {METHODS.map((each) => {
          const prediction = comparison[each].predictions.find(isAtHorizon);
          if (prediction === undefined) return null;
          const { survival_probability, interval } = prediction;
          return (
            <div key={each} class={`tile ${each}`} data-testid={`tile-${each}`}>
              <span>{METHOD_NAMES[each]}</span>
              <strong data-value={survival_probability}>{percent(survival_probability)}</strong>
              {interval !== undefined && (
                <span>
                  8 of 10: {percent(interval.low)} to {percent(interval.high)}
                </span>
              )}
            </div>
          );
        })}
      </div>
      {difference !== undefined && (
        <p>
          Hand planting minus drone seeding: <strong>{pointsText(difference.manual_advantage)} points</strong>
          {difference.interval !== undefined &&
            ` (8 of 10: ${pointsText(difference.interval.low)} to ${pointsText(difference.interval.high)})`}
          .
        </p>
      )}
      {hasIntervals() && <EightOfTen />}
      <MatchedPoint answer={answer} />
      <h3>Survival over the years</h3>
      <SurvivalChart comparison={comparison} />
      {shown !== undefined && (
        <>
          <h3>Why: {METHOD_NAMES[method.value].toLowerCase()}</h3>
          <Waterfall prediction={shown} />
        </>
      )}
    </>
  );
}

function MatchedPoint({ answer: { site: at, species_common_name } }: { answer: Comparison }) {
  const factors = new Map(catalogues.value?.model.features.map(({ feature, factor }) => [feature, factor]));
  const beyond = at.outside_training?.map((feature) => factors.get(feature) ?? feature) ?? [];
  return (
    <>
      <p class="small">
        {regionName(at.region)}. Data point at {at.matched_latitude}, {at.matched_longitude},{' '}
        {distanceText(at.match_distance_km)} away
        {at.matched_elevation_m !== undefined && `, at ${bothElevations(at.matched_elevation_m)}`}.
      </p>
      {at.in_native_range === false && <p class="flag">Outside the native range of {species_common_name}.</p>}
      {beyond.length > 0 && <p class="flag">Beyond training: {beyond.join(', ')}. The model extrapolates.</p>}
    </>
  );
}
