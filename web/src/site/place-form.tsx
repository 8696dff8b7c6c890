import type { FeatureCollection, Point } from 'geojson';
import { useEffect, useState } from 'preact/hooks';
import baseMapUrl from '../../base-map/base-map.json?url';
import { showOnMap } from '../map/shown-map.js';
import { chooseSite, placeIn, site } from '../state/choices.js';

interface Town {
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
}

const STATES = ['Oregon', 'Washington'];

/** The towns of the base map, whose file the map has loaded already. */
async function loadTowns(): Promise<Town[]> {
  const response = await fetch(new URL(baseMapUrl, location.href));
  const { features } = (await response.json()) as FeatureCollection<
    Point,
    { kind: string; name: string; state: string }
  >;
  return features
    .filter(({ properties }) => properties.kind === 'town' && STATES.includes(properties.state))
    .map(({ properties, geometry: { coordinates } }) => ({
      label: `${properties.name}, ${properties.state}`,
      longitude: coordinates[0]!,
      latitude: coordinates[1]!,
    }))
    .sort((a, b) => a.label.localeCompare(b.label));
}

/** Chooses a site by its coordinates, or shows a town on the map: most towns have no forest, and so no data. */
export function PlaceForm() {
  const [towns, setTowns] = useState<readonly Town[]>([]);
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const chosen = site.value;
  useEffect(() => {
    loadTowns().then(setTowns, () => undefined); // without towns the form takes coordinates
  }, []);
  useEffect(() => {
    if (chosen !== null) setText(`${chosen.latitude}, ${chosen.longitude}`);
    setWrong(false);
  }, [chosen]);

  const go = (event: Event) => {
    event.preventDefault();
    const wanted = text.trim().toLowerCase();
    const town = towns.find(
      ({ label }) => label.toLowerCase() === wanted || label.toLowerCase().startsWith(`${wanted},`),
    );
    const place = town ?? placeIn(text);
    setWrong(place === null);
    if (place === null) return;
    if (town === undefined) chooseSite(place);
    showOnMap(place);
  };
  return (
    <form class="place no-print" onSubmit={go}>
      <label for="place">Latitude, longitude or a town</label>
      <div>
        <input
          id="place"
          list="towns"
          value={text}
          placeholder="44.12, -122.03"
          aria-invalid={isWrong}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id="towns">
          {towns.map(({ label }) => (
            <option key={label} value={label} />
          ))}
        </datalist>
        <button type="submit">Show</button>
      </div>
      {isWrong && (
        <p class="error" role="alert">
          Type a latitude and a longitude in degrees, such as 44.12, -122.03, or a town of the list.
        </p>
      )}
    </form>
  );
}
