import { NurselogError } from '@nurselog/client/nurselog-error';
import { showOnMap } from '../map/shown-map.js';
import { distanceText } from '../page/format.js';
import { chooseSite, type Place } from '../state/choices.js';

interface Nearest extends Place {
  readonly distance_km: number;
}

/** Offers the nearest point with data where a site has none. */
export function NearestPoint({ error }: { error: Error }) {
  if (!(error instanceof NurselogError) || error.code !== 'no_nearby_data') return null;
  const { nearest } = error.details as { nearest: Nearest };
  return (
    <p>
      <button
        type="button"
        onClick={() => {
          chooseSite(nearest);
          showOnMap(nearest);
        }}
      >
        Show the nearest data point: {nearest.latitude}, {nearest.longitude},{' '}
        {distanceText(nearest.distance_km)} away
      </button>
    </p>
  );
}
