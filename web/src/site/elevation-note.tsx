import { number } from '../page/format.js';
import { elevationM } from '../state/choices.js';

const METRES_PER_FOOT = 0.3048;

/** From this difference on, metres, the typed elevation may be in feet, or that of another place. */
const NOTED_DIFFERENCE_M = 150;

/**
 * Says the site's own elevation in both units, and warns where the matched point lies far above or below.
 * @param props.matchedM of the matched point; undefined while it is not known
 */
export function ElevationNote({ matchedM }: { matchedM: number | undefined }) {
  const own = elevationM.value;
  if (own === null) return null;
  const differenceM = own - (matchedM ?? own);
  const fromFeet = Math.round(own * METRES_PER_FOOT);
  return (
    <>
      <p class="small">
        {number(own)} m = {number(own / METRES_PER_FOOT)} ft
      </p>
      {matchedM !== undefined && Math.abs(differenceM) >= NOTED_DIFFERENCE_M && (
        <p class="flag" role="status">
          {number(Math.abs(differenceM))} m {differenceM > 0 ? 'above' : 'below'} the data point, which is at{' '}
          {number(matchedM)} m. Is the number in feet?{' '}
          <button
            type="button"
            onClick={() => {
              elevationM.value = fromFeet;
            }}
          >
            Use {number(own)} ft = {number(fromFeet)} m
          </button>
        </p>
      )}
    </>
  );
}
