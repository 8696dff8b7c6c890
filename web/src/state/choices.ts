import { batch, effect, signal } from '@preact/signals';
import { HORIZONS, type Horizon, METHODS, type Method, type ServedModel } from '../api/types.js';

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

export const LAYERS = ['survival', 'change', 'advantage', 'width', 'best'] as const;
export type Layer = (typeof LAYERS)[number];
export const PANELS = ['site', 'units', 'about'] as const;
export type Panel = (typeof PANELS)[number];

/** Douglas-fir. */
export const DEFAULT_SPECIES = 'PSME';

/** Whether a text may be the code of a species: other grids have other codes. */
export const isSpeciesCode = (text: string) => text.length > 0 && text.length <= 20;

/** What a link or a project has that the page or this service cannot use, as `name=value`. */
export const unusedChoices = signal<readonly string[]>([]);

// What is shown and asked for: all of it is in the address, so that a link shows the same.
export const species = signal(DEFAULT_SPECIES);
export const method = signal<Method>('manual');
export const horizon = signal<Horizon>(5);
/** Whether a part of an answer is of the chosen horizon. */
export const isAtHorizon = ({ horizon_years }: { readonly horizon_years: number }) =>
  horizon_years === horizon.value;
export const layer = signal<Layer>('survival');
export const panel = signal<Panel>('site');
export const warmingC = signal(0);
export const precipitationPercent = signal(0);
export const site = signal<Place | null>(null);
/** The site's own elevation in metres; null for that of the matched point. */
export const elevationM = signal<number | null>(null);
/** Practice by feature; the model's default applies to features that are not here. */
export const practice = signal<Readonly<Record<string, number>>>({});
/** Measured values by feature. */
export const conditions = signal<Readonly<Record<string, number>>>({});
/** Zoom and centre of the map; null until it was moved. */
export const camera = signal<{ readonly zoom: number; readonly center: Place } | null>(null);

/** Opacity of the cells on the map, which lets the relief show through. */
export const OPACITY = { min: 0.2, max: 1, step: 0.1, default: 0.7 } as const;
export const cellOpacity = signal<number>(OPACITY.default);

/** The elevations that the interface allows, in metres. */
export const ELEVATION_M = { min: -10, max: 4400 } as const;

/** The limits of a scenario that the page offers; the interface allows more. */
export const WARMING_C = { min: 0, max: 6, step: 0.5 } as const;
export const PRECIPITATION_PERCENT = { min: -50, max: 50, step: 5 } as const;

/** A feature of practice: one with a default in GET /v1/model. */
export type Practice = ServedModel['features'][number] & { readonly default: number };

export function practiceOf(features: ServedModel['features']): Practice[] {
  return features.filter((feature): feature is Practice => feature.default !== undefined);
}

/** The features that can be measured at a site, except its elevation. */
export function measurableOf(features: ServedModel['features']): ServedModel['features'] {
  return features.filter(({ feature, default: average }) => feature !== 'elevation' && average === undefined);
}

/** A climate and practice, by the names of the query parameters of surfaces and tables. */
export type Assumptions = Readonly<Record<string, number>>;

/** The chosen climate and practice; empty for today's climate and average practice. */
export function assumptions(): Assumptions {
  return {
    ...(warmingC.value !== 0 && { warming_c: warmingC.value }),
    ...(precipitationPercent.value !== 0 && { precipitation_change_percent: precipitationPercent.value }),
    ...practice.value,
  };
}

/** Adds assumptions to a query. */
export function addAssumptions(query: URLSearchParams, assumed: Assumptions): void {
  for (const [name, value] of Object.entries(assumed)) query.set(name, String(value));
}

/** Assumptions as options of a body, with measured conditions. */
export function optionsOf(
  { warming_c, precipitation_change_percent, ...practised }: Assumptions,
  measured: Readonly<Record<string, number>> = {},
): { scenario?: object; conditions?: object } {
  const scenario = {
    ...(warming_c !== undefined && { warming_c }),
    ...(precipitation_change_percent !== undefined && { precipitation_change_percent }),
  };
  const stated = { ...practised, ...measured };
  return {
    ...(Object.keys(scenario).length > 0 && { scenario }),
    ...(Object.keys(stated).length > 0 && { conditions: stated }),
  };
}

/** Chooses a site, and forgets the elevation and the conditions measured at the one before. */
export function chooseSite(place: Place): void {
  const rounded = {
    latitude: Number(place.latitude.toFixed(5)),
    longitude: Number(place.longitude.toFixed(5)),
  };
  batch(() => {
    site.value = rounded;
    elevationM.value = null;
    conditions.value = {};
    panel.value = 'site';
  });
}

/** A text as a number from min to max, else null. */
export function numberIn(text: string | null, min: number, max: number): number | null {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return value >= min && value <= max ? value : null;
}

const oneOf =
  <Value>(values: readonly Value[]) =>
  (text: string) =>
    values.find((value) => String(value) === text);

/** Reads the choices from the address; what is missing or wrong there keeps its default. */
export const readAddress = () => readChoices(location.hash.slice(1));

/** Reads choices as {@link choicesText} writes them; what cannot be read becomes {@link unusedChoices}. */
export function readChoices(text: string): void {
  const fields = new URLSearchParams(text);
  const unused: string[] = [];
  const read = <Value>(name: string, parse: (text: string) => Value | null | undefined) => {
    const [text = '', ...others] = fields.getAll(name);
    fields.delete(name);
    unused.push(...others.filter((other) => other !== text).map((other) => `${name}=${other}`));
    const value = text === '' ? null : (parse(text) ?? null);
    if (text !== '' && value === null) unused.push(`${name}=${text}`);
    return value;
  };
  const readNumber = (name: string, min: number, max: number) =>
    read(name, (text) => numberIn(text, min, max));
  const readNumbers = (prefix: string) =>
    Object.fromEntries(
      [...fields.keys()]
        .filter((name) => name.startsWith(prefix))
        .map((name) => [name.slice(prefix.length), readNumber(name, -1e6, 1e6)] as const)
        .filter((entry): entry is [string, number] => entry[1] !== null),
    );
  batch(() => {
    species.value = read('species', (code) => (isSpeciesCode(code) ? code : null)) ?? species.value;
    method.value = read('method', oneOf(METHODS)) ?? method.value;
    horizon.value = read('year', oneOf(HORIZONS)) ?? horizon.value;
    layer.value = read('layer', oneOf(LAYERS)) ?? layer.value;
    panel.value = read('panel', oneOf(PANELS)) ?? panel.value;
    warmingC.value = readNumber('warming', -5, 10) ?? 0;
    precipitationPercent.value = readNumber('precipitation', -80, 200) ?? 0;
    practice.value = readNumbers('practice.');
    cellOpacity.value = readNumber('opacity', OPACITY.min, OPACITY.max) ?? OPACITY.default;
    site.value = read('site', (text) => placeOf(text.split(',')));
    elevationM.value = readNumber('elevation', ELEVATION_M.min, ELEVATION_M.max);
    conditions.value = readNumbers('measured.');
    camera.value = read('map', cameraOf) ?? camera.value;
    unusedChoices.value = [...unused, ...[...fields].map(([name, value]) => `${name}=${value}`)];
  });
}

/** Reads a zoom and a centre, `zoom/latitude/longitude`; null if the text has none. */
function cameraOf(text: string): typeof camera.value {
  const [level = null, ...degrees] = text.split('/');
  const [zoom, center] = [numberIn(level, 0, 20), placeOf(degrees)];
  return zoom === null || center === null ? null : { zoom, center };
}

/** Reads a place from two texts in degrees; null if they are not a latitude and a longitude. */
export function placeOf([latitude, longitude]: readonly string[]): Place | null {
  const place = {
    latitude: numberIn(latitude ?? null, -90, 90),
    longitude: numberIn(longitude ?? null, -180, 180),
  };
  return place.latitude === null || place.longitude === null ? null : (place as Place);
}

/** The choices as the part of an address after #. */
export function choicesText(): string {
  const fields = new URLSearchParams({
    species: species.value,
    method: method.value,
    year: String(horizon.value),
    layer: layer.value,
    panel: panel.value,
  });
  if (warmingC.value !== 0) fields.set('warming', String(warmingC.value));
  if (precipitationPercent.value !== 0) fields.set('precipitation', String(precipitationPercent.value));
  for (const [feature, value] of Object.entries(practice.value))
    fields.set(`practice.${feature}`, String(value));
  if (cellOpacity.value !== OPACITY.default) fields.set('opacity', String(cellOpacity.value));
  if (site.value !== null) fields.set('site', `${site.value.latitude},${site.value.longitude}`);
  if (elevationM.value !== null) fields.set('elevation', String(elevationM.value));
  for (const [feature, value] of Object.entries(conditions.value))
    fields.set(`measured.${feature}`, String(value));
  if (camera.value !== null) {
    const { zoom, center } = camera.value;
    fields.set('map', `${zoom.toFixed(2)}/${center.latitude.toFixed(4)}/${center.longitude.toFixed(4)}`);
  }
  return fields.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
}

/** What the browser's buttons Back and Forward step through: panels and sites. */
const stepNow = () => `${panel.value} ${site.value?.latitude} ${site.value?.longitude}`;

/** Keeps the address and the choices in sync. Another site or panel adds an entry to the history. */
export function followAddress(): void {
  let step = stepNow();
  let isReading = false;
  effect(() => {
    const address = `#${choicesText()}`;
    const isStep = step !== stepNow() && !isReading;
    step = stepNow();
    if (isStep) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  });
  window.addEventListener('hashchange', () => {
    isReading = true; // the entry is there already
    readAddress();
    isReading = false;
  });
}
