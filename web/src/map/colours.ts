/** The colours of a quantity on the map: a ramp from min to max, or one colour for each class. */
export type Scale =
  | {
      readonly kind: 'ramp';
      readonly title: string;
      readonly min: number;
      readonly max: number;
      readonly colours: readonly string[];
      readonly ticks: readonly { readonly value: number; readonly label: string }[];
    }
  | {
      readonly kind: 'classes';
      readonly title: string;
      readonly classes: readonly { readonly label: string; readonly colour: string }[];
    };

export type Ramp = Extract<Scale, { kind: 'ramp' }>;

/** Viridis, which rises evenly in lightness and is safe for colour-blind eyes (Smith and van der Walt, matplotlib). */
const VIRIDIS = [
  '#440154',
  '#482878',
  '#3e4989',
  '#31688e',
  '#26828e',
  '#1f9e89',
  '#35b779',
  '#6ece58',
  '#b5de2b',
  '#fde725',
];
/** Purple to orange around white, safe for colour-blind eyes (ColorBrewer PuOr). */
const PURPLE_ORANGE = [
  '#2d004b',
  '#542788',
  '#8073ac',
  '#b2abd2',
  '#d8daeb',
  '#f7f7f7',
  '#fee0b6',
  '#fdb863',
  '#e08214',
  '#b35806',
  '#7f3b08',
];
/** Cividis, made for colour-blind eyes (Nuñez, Anderton and Renslow 2018). */
const CIVIDIS = [
  '#00204d',
  '#00336f',
  '#39486b',
  '#575d6d',
  '#707173',
  '#8a8779',
  '#a69d75',
  '#c4b56c',
  '#e4cf5b',
  '#ffea46',
];
/** Paul Tol's muted scheme, whose colours differ for colour-blind eyes; the last is for all other classes. */
const MUTED = [
  '#117733',
  '#88ccee',
  '#ddcc77',
  '#332288',
  '#cc6677',
  '#44aa99',
  '#999933',
  '#882255',
  '#aa4499',
];
export const OTHER_COLOUR = '#9a9a9a';

const ticks = (values: readonly number[], label: (value: number) => string) =>
  values.map((value) => ({ value, label: label(value) }));
const percentLabel = (value: number) => `${Math.round(value * 100)}\u00a0%`;

const pointsLabel = (value: number) => `${value < 0 ? '−' : '+'}${Math.round(Math.abs(value) * 100)}`;

export const survivalScale = (title: string): Ramp => ({
  kind: 'ramp',
  title,
  min: 0,
  max: 1,
  colours: VIRIDIS,
  ticks: ticks([0, 0.25, 0.5, 0.75, 1], percentLabel),
});

/** @param extent the largest difference shown, in probability */
export const advantageScale = (title: string, extent: number): Scale => ({
  kind: 'ramp',
  title,
  min: -extent,
  max: extent,
  colours: PURPLE_ORANGE,
  ticks: [
    { value: -extent, label: `drone +${Math.round(extent * 100)}` },
    { value: 0, label: 'equal' },
    { value: extent, label: `hand +${Math.round(extent * 100)}` },
  ],
});

/** @param extent the largest difference shown, in probability */
export const changeScale = (title: string, extent: number): Scale => ({
  kind: 'ramp',
  title,
  min: -extent,
  max: extent,
  // Orange for losses, as elsewhere in the page.
  colours: PURPLE_ORANGE.toReversed(),
  ticks: ticks([-extent, 0, extent], (value) => (value === 0 ? 'as today' : pointsLabel(value))),
});

export const widthScale = (title: string): Scale => ({
  kind: 'ramp',
  title,
  min: 0,
  max: 1,
  colours: CIVIDIS,
  ticks: ticks([0, 0.25, 0.5, 0.75, 1], (value) => `${Math.round(value * 100)}`),
});

/** @param names in order of frequency; those beyond the colours share the last */
export function classScale(title: string, names: readonly string[]): Scale {
  const shown = names
    .slice(0, MUTED.length)
    .map((label, index) => ({ label, colour: MUTED[index] ?? OTHER_COLOUR }));
  const others = names.length > MUTED.length ? [{ label: 'other species', colour: OTHER_COLOUR }] : [];
  return { kind: 'classes', title, classes: [...shown, ...others] };
}

/** The position of a value in a scale, from 0 to 1; that of the nearest end for a value outside. */
export function placeInScale(scale: Scale, value: number): number {
  if (scale.kind === 'classes') {
    const last = scale.classes.length - 1;
    return (Math.min(value, last) + 0.5) / (last + 1);
  }
  return Math.min(1, Math.max(0, (value - scale.min) / (scale.max - scale.min)));
}

const PIXELS = 256;

/** The colours of a scale as pixels in a row, red, green, blue and opacity. */
export function pixelsOf(scale: Scale): Uint8Array {
  const pixels = new Uint8Array(PIXELS * 4);
  for (let index = 0; index < PIXELS; index++) {
    const [red, green, blue] = colourAt(scale, (index + 0.5) / PIXELS);
    pixels.set([red, green, blue, 255], index * 4);
  }
  return pixels;
}

function colourAt(scale: Scale, place: number): number[] {
  if (scale.kind === 'classes') {
    const index = Math.min(scale.classes.length - 1, Math.floor(place * scale.classes.length));
    return channels(scale.classes[index]?.colour ?? OTHER_COLOUR);
  }
  const at = place * (scale.colours.length - 1);
  const index = Math.min(scale.colours.length - 2, Math.floor(at));
  const [low, high] = [channels(scale.colours[index]), channels(scale.colours[index + 1])];
  return low.map((channel, each) => Math.round(channel + (high[each] - channel) * (at - index)));
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}
