import type { Method } from '../api/types.js';
import { measures } from '../state/measures.js';

/** A probability as whole percent, with a decimal below ten; no line breaks before the sign. */
export const percent = (value: number) => `${percentNumber(value)}\u00a0%`;

function percentNumber(value: number): string {
  const points = value * 100;
  return Math.abs(points) < 9.95 && points !== 0 ? points.toFixed(1) : String(Math.round(points));
}

/** Two probabilities as a range: 14 to 99 %. */
export const percentRange = (low: number, high: number) => `${percentNumber(low)} to ${percent(high)}`;

/** A difference of probabilities in percentage points, with its sign. */
export function pointsText(value: number): string {
  const text = Math.abs(value * 100).toFixed(1);
  return `${Number(text) === 0 ? '±' : value < 0 ? '−' : '+'}${text}`;
}

/** @param roundingMode of a limit, which a field must take as it is shown */
export function number(value: number, decimals = 0, roundingMode?: 'floor' | 'ceil'): string {
  const digits = { maximumFractionDigits: decimals, minimumFractionDigits: decimals };
  return value.toLocaleString('en-US', { ...digits, ...(roundingMode && { roundingMode }) });
}

/** A number of things, as 1 unit or 2 units. */
export const counted = (count: number, thing: string) => `${number(count)} ${thing}${count === 1 ? '' : 's'}`;

/** A number that was typed, with all its digits. */
export const typedNumber = (value: number, minimumFractionDigits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits, maximumFractionDigits: 6 });

/** A probability that was typed, with all its digits. */
export const typedPercent = (value: number) => `${typedNumber(value * 100)}\u00a0%`;

export const METHOD_NAMES: Readonly<Record<Method, string>> = {
  manual: 'Hand planting',
  drone_seeded: 'Drone seeding',
};

/** A cost per survivor as people read it. @param cost null where none survives; undefined while it is asked for */
export const costText = (cost: number | null | undefined) =>
  cost === undefined ? '…' : cost === null ? 'none survives' : money(cost);

/** In dollars: whole ones from a thousand on, more decimals below ten cents, since a sown spot may cost less. */
export const money = (amount: number) =>
  `$${amount.toLocaleString('en-US', {
    minimumFractionDigits: amount < 1000 ? 2 : 0,
    maximumFractionDigits: amount < 0.1 ? 4 : amount < 1000 ? 2 : 0,
  })}`;

export const years = (count: number) => counted(count, 'year');

/** The name of a region. */
export const regionName = (code: string) => ({ 'US-OR': 'Oregon', 'US-WA': 'Washington' })[code] ?? code;

/** A property of a file as text; arrays and objects as JSON. Infinite numbers, such as 1e999, have no text. */
export function propertyText(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return '';
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** Texts for stated practice, by feature. */
const PRACTICE_TEXTS: Readonly<Record<string, (value: number) => string>> = {
  vegetation_control: (value) => `${percent(value)} of competing vegetation controlled`,
  overstory_cover: (value) => `${value}\u00a0% overstory cover`,
  seeds_per_spot: (value) => `${counted(value, 'viable seed')} a pod`,
};

/** The climate and practice that figures are for. */
export function assumptionsText({
  warming_c = 0,
  precipitation_change_percent = 0,
  ...practice
}: Readonly<Record<string, number>>): string {
  const change = (value: number, sizeOf: (value: number) => string, more: string, less: string) =>
    value === 0 ? [] : [`${sizeOf(value)} ${value > 0 ? more : less}`];
  const climate = [
    ...change(warming_c, warmingText, 'warmer', 'colder'),
    ...change(
      precipitation_change_percent,
      (value) => `${Math.abs(value)}\u00a0%`,
      'more precipitation',
      'less precipitation',
    ),
  ].join(' and ');
  const practised = Object.entries(practice).map(
    ([feature, value]) => PRACTICE_TEXTS[feature]?.(value) ?? `${feature} ${value}`,
  );
  return [climate || "today's climate", ...practised].join(', ');
}

/** Sizes of US customary units, exact by definition (NIST Special Publication 811, appendix B). */
const METRES_PER_FOOT = 0.3048;
const KM_PER_MILE = 1.609344;
const MM_PER_INCH = 25.4;
const HA_PER_ACRE = 0.40468564224;

/** A unit in which a quantity is shown and typed, and its relation to the unit of the interface. */
export interface Measure {
  /** As people write it after a number. */
  readonly name: string;
  /** What a value of the interface is in this unit. */
  fromMetric(value: number): number;
  /** What a value in this unit is in that of the interface. */
  toMetric(value: number): number;
}

/** Decimals that a conversion keeps: enough for the same number to come back. */
const DECIMALS = 6;
const rounded = (value: number) => Number(value.toFixed(DECIMALS));

const scaled = (name: string, size: number, offset = 0): Measure => ({
  name,
  fromMetric: (value) => rounded(value / size + offset),
  toMetric: (value) => rounded((value - offset) * size),
});

const asIs = (name: string): Measure => ({
  name,
  fromMetric: (value) => value,
  toMetric: (value) => value,
});

export const METRES = asIs('m');
export const FEET = scaled('ft', METRES_PER_FOOT);

const US_MEASURES: Readonly<Record<string, Measure>> = {
  m: FEET,
  km: scaled('mi', KM_PER_MILE),
  mm: scaled('in', MM_PER_INCH),
  ha: scaled('acres', HA_PER_ACRE),
  degC: scaled('°F', 5 / 9, 32),
};

const METRIC_NAMES: Readonly<Record<string, string>> = {
  degC: '°C',
  degrees: '°',
  fraction: '',
  percent: '%',
  '1': '',
};

/** The chosen unit for a unit of GET /v1/model, or for `ha` or `km`. */
export function measureOf(unit: string): Measure {
  const us = measures.value === 'us' ? US_MEASURES[unit] : undefined;
  return us ?? asIs(METRIC_NAMES[unit] ?? unit);
}

/** A quantity with its unit, in the chosen units. @param value in the unit */
export function quantity(value: number, unit: string, decimals = 0): string {
  const measure = measureOf(unit);
  const space = measure.name === '°' ? '' : ' ';
  return `${number(measure.fromMetric(value), decimals)}${space}${measure.name}`.trim();
}

export const elevationText = (metres: number) => quantity(metres, 'm');
export const distanceText = (km: number) => quantity(km, 'km', 1);

/** An area, with a decimal below ten. */
export function areaText(ha: number): string {
  return quantity(ha, 'ha', measureOf('ha').fromMetric(ha) < 9.95 ? 1 : 0);
}

/** An elevation in both units, the chosen one first: 705 m = 2,313 ft. */
export function bothElevations(metres: number): string {
  const inUnit = ({ name, fromMetric }: Measure) => `${number(fromMetric(metres))} ${name}`;
  return (measures.value === 'us' ? [FEET, METRES] : [METRES, FEET]).map(inUnit).join(' = ');
}

/** A difference of temperatures without its sign; a degree Celsius is 1.8 degrees Fahrenheit. */
export function warmingText(degrees: number): string {
  const isUs = measures.value === 'us';
  return `${Number(((isUs ? 1.8 : 1) * Math.abs(degrees)).toFixed(1))} ${isUs ? '°F' : '°C'}`;
}

/** The chosen unit of area in the singular: as in "trees per acre". */
export const areaUnit = (): 'acre' | 'hectare' => (measures.value === 'us' ? 'acre' : 'hectare');

/** Things per hectare as things per chosen unit of area. */
export const perArea = (perHa: number) => (measures.value === 'us' ? perHa * HA_PER_ACRE : perHa);

/** Things per unit of area as things per hectare; without one, per chosen unit. */
export const perHectare = (perUnit: number, unit = areaUnit()) =>
  unit === 'acre' ? perUnit / HA_PER_ACRE : perUnit;

/** An area in acres, whatever unit is chosen. */
export const acres = (ha: number) => ha / HA_PER_ACRE;

/** An instant in local time: November 28, 2026 at 4:00:00 PM PST. */
export const timeText = (instant: string) =>
  new Date(instant).toLocaleString('en-US', { dateStyle: 'long', timeStyle: 'long' });

/** Today in local time: 2026-11-25. ICU 72 and 73 write that of `en-CA` as 11/25/2026. */
export const dateText = () => new Date().toLocaleDateString('sv-SE');
