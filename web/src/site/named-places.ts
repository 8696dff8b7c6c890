import placesUrl from '../../base-map/places.json?url';
import type { Place } from '../state/choices.js';

/** A town, county, lake, river or ZIP code of Oregon and Washington. */
export interface NamedPlace extends Place {
  readonly label: string;
}

type Row = readonly [label: string, latitude: number, longitude: number];

let loading: Promise<NamedPlace[]> | undefined;

/** The places that have names, large towns first. A failed download is tried again at the next call. */
export function loadNamedPlaces(): Promise<NamedPlace[]> {
  loading ??= fetchPlaces().catch((error: Error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function fetchPlaces(): Promise<NamedPlace[]> {
  const response = await fetch(new URL(placesUrl, location.href));
  const byKind = (await response.json()) as Record<string, Row[]>;
  return Object.entries(byKind).flatMap(([kind, rows]) =>
    rows.map(([label, latitude, longitude]) => ({
      label: kind === 'zip' ? `ZIP ${label}` : label,
      latitude,
      longitude,
    })),
  );
}

/** Places whose name begins with a text, then those with another word that does; no more than the limit. */
export function placesLike(places: readonly NamedPlace[], text: string, limit: number): NamedPlace[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const begins = ({ label }: NamedPlace) => label.toLowerCase().startsWith(wanted);
  const hasWord = ({ label }: NamedPlace) => label.toLowerCase().includes(` ${wanted}`);
  return [...places.filter(begins), ...places.filter((place) => !begins(place) && hasWord(place))].slice(
    0,
    limit,
  );
}

/** The place that a text names in full, with or without its state. */
export function placeNamed(places: readonly NamedPlace[], text: string): NamedPlace | undefined {
  const wanted = text.trim().toLowerCase();
  const names = (label: string) => [
    label,
    label.replace(/, .*/, ''),
    label.replace(/, (Or|Wa).*/, ', $1'),
    label.replace('ZIP ', ''),
  ];
  return places.find(({ label }) => names(label).some((name) => name.toLowerCase() === wanted));
}
