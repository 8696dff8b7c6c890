import { bothElevations, elevationText, FEET, METRES, measureOf, number } from '../page/format.js';
import { elevationM } from '../state/choices.js';

/** At this difference or more, the typed elevation may be in the other unit or that of another place. */
const NOTED_DIFFERENCE_M = 150;

/**
 * Shows an elevation in both units, and warns if the matched point lies far above or below the site's own.
 * @param props.matchedM elevation of the matched point; undefined while it is not known
 */
export function ElevationNote({ matchedM }: { matchedM: number | undefined }) {
  const own = elevationM.value;
  if (own === null)
    return matchedM === undefined ? null : <p class="small">Data point: {bothElevations(matchedM)}</p>;
  const differenceM = own - (matchedM ?? own);
  const typedIn = measureOf('m');
  const other = typedIn.name === FEET.name ? METRES : FEET;
  const typed = typedIn.fromMetric(own);
  const inOther = Math.round(other.toMetric(typed));
  return (
    <>
      <p class="small">
        {bothElevations(own)}
        {matchedM !== undefined && `; data point: ${bothElevations(matchedM)}`}
      </p>
      {matchedM !== undefined && Math.abs(differenceM) >= NOTED_DIFFERENCE_M && (
        <p class="flag" role="status">
          {elevationText(Math.abs(differenceM))} {differenceM > 0 ? 'above' : 'below'} the data point, which
          is at {elevationText(matchedM)}.
          {Math.abs(inOther - matchedM) < Math.abs(differenceM) && (
            <>
              {' '}
              Is the number in {other === FEET ? 'feet' : 'metres'}?{' '}
              <button
                type="button"
                onClick={() => {
                  elevationM.value = inOther;
                }}
              >
                Use {number(typed)} {other.name} = {elevationText(inOther)}
              </button>
            </>
          )}
        </p>
      )}
    </>
  );
}
