import { useEffect, useState } from 'preact/hooks';
import { showOnMap } from '../map/shown-map.js';
import { chooseSite, type Place, site } from '../state/choices.js';
import { placeIn } from '../state/coordinates.js';
import { loadNamedPlaces, type NamedPlace, placeNamed, placesLike } from './named-places.js';

/** Most names that are offered. */
const MAX_OFFERED = 12;
/** How long the browser may take to find its location. */
const LOCATION_TIMEOUT_MS = 30_000;
const NO_NAMES = 'The names of places cannot be loaded now. Coordinates work without them.';
/** T19S R5E S12, and other ways to write it. */
const TOWNSHIP = /^T(?:OWNSHIP)?\.?\s*\d+\s*[NS]\b/i;

/** Chooses a site: by coordinates, by the name of a place, or where the browser is. */
export function PlaceForm() {
  const [places, setPlaces] = useState<readonly NamedPlace[]>([]);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [isLocating, setLocating] = useState(false);
  const chosen = site.value;
  useEffect(() => {
    if (chosen === null) return;
    setText(`${chosen.latitude}, ${chosen.longitude}`);
    setProblem('');
  }, [chosen]);

  const placeOrProblem = (names: readonly NamedPlace[]) => {
    setPlaces(names); // they may not have loaded when the field got the focus
    return placeNamed(names, text) ?? problemOf(text);
  };
  /** Whether the field has the same text still: no other was typed, and no other site or panel chosen, meanwhile. */
  const isAwaited = () => document.querySelector<HTMLInputElement>('#place')?.value === text;
  const go = async (event: Event) => {
    event.preventDefault();
    setProblem('');
    const found = placeIn(text) ?? (await loadNamedPlaces().then(placeOrProblem, () => NO_NAMES));
    if (!isAwaited()) return;
    if (typeof found !== 'string') return show(found);
    setProblem(found);
    site.value = null; // the figures would be of another place
  };
  const locate = () => {
    setLocating(true);
    setProblem('');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setLocating(false);
        if (isAwaited()) show(coords);
      },
      ({ message }) => {
        setLocating(false);
        if (isAwaited())
          setProblem(`The browser did not say where it is${message === '' ? '' : `: ${message}`}.`);
      },
      { enableHighAccuracy: true, timeout: LOCATION_TIMEOUT_MS },
    );
  };
  return (
    <form class="place no-print" onSubmit={go}>
      <label for="place">Coordinates, town, county, lake, river or ZIP code</label>
      <div>
        <input
          id="place"
          list="places"
          autocomplete="off"
          value={text}
          placeholder="44.12, -122.03"
          aria-invalid={problem !== ''}
          aria-describedby="place-problem place-help"
          onFocus={() => loadNamedPlaces().then(setPlaces, () => undefined)}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id="places">
          {placesLike(places, text, MAX_OFFERED).map(({ label }) => (
            <option key={label} value={label} />
          ))}
        </datalist>
        <button type="submit">Show</button>
      </div>
      {problem !== '' && (
        <p id="place-problem" class="error" role="alert">
          {problem}
        </p>
      )}
      <p id="place-help" class="small">
        Coordinates as 44.12, -122.03, as 44 7 12 N, 122 1 48 W, or as UTM 10T 577600 4885700.
      </p>
      {/* Browsers give their location only to pages from HTTPS or from this machine. */}
      {window.isSecureContext && (
        <button type="button" disabled={isLocating} onClick={locate}>
          {isLocating ? 'Locating …' : 'My location'}
        </button>
      )}
    </form>
  );
}

function show(place: Place): void {
  chooseSite(place);
  showOnMap(place);
}

/** Why a text is not a place, and what to type instead. */
function problemOf(text: string): string {
  if (TOWNSHIP.test(text.trim()))
    return 'The page cannot find township, range and section: it has no map of them. Type coordinates or a town.';
  return `“${text.trim()}” is neither coordinates nor a town, county, lake, river or ZIP code that the page knows. Mountains and roads are not in its list.`;
}
