import type { Method } from '../api/types.js';

/** A probability as whole percent, with a decimal below ten. */
export function percent(value: number): string {
  const points = value * 100;
  return `${Math.abs(points) < 9.95 && points !== 0 ? points.toFixed(1) : Math.round(points)} %`;
}

/** A difference of probabilities in percentage points, with its sign. */
export function points(value: number): string {
  const text = Math.abs(value * 100).toFixed(1);
  return `${Number(text) === 0 ? '±' : value < 0 ? '−' : '+'}${text}`;
}

export function number(value: number, decimals = 0): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals, minimumFractionDigits: decimals });
}

/** A number of things, as 1 unit or 2 units. */
export const counted = (count: number, thing: string) => `${number(count)} ${thing}${count === 1 ? '' : 's'}`;

export const METHOD_NAMES: Readonly<Record<Method, string>> = {
  manual: 'Hand planting',
  drone_seeded: 'Drone seeding',
};

export const years = (count: number) => counted(count, 'year');

/** A unit of a feature as people write it. */
export function unitName(unit: string): string {
  return (
    ({ degC: '°C', degrees: '°', fraction: '', percent: '%', '1': '' } as Record<string, string>)[unit] ??
    unit
  );
}

/** The name of a region. */
export const regionName = (code: string) => ({ 'US-OR': 'Oregon', 'US-WA': 'Washington' })[code] ?? code;

/** A property of GeoJSON as text; arrays and objects as JSON. The dates of shapefiles are objects with a text of their own. */
export function propertyText(value: unknown): string {
  return typeof value === 'object' && value !== null && !(value instanceof Date)
    ? JSON.stringify(value)
    : String(value ?? '');
}

/** How texts name what is assumed of practice, by feature. */
const PRACTICE_TEXTS: Readonly<Record<string, (value: number) => string>> = {
  vegetation_control: (value) => `${percent(value)} of competing vegetation controlled`,
  overstory_cover: (value) => `${value} % overstory cover`,
  seeds_per_spot: (value) => `${counted(value, 'viable seed')} a pod`,
};

/** The climate and practice that figures are for. */
export function assumptionsText({
  warming_c = 0,
  precipitation_change_percent = 0,
  ...practice
}: Readonly<Record<string, number>>): string {
  const change = (value: number, unit: string, more: string, less: string) =>
    value === 0 ? [] : [`${Math.abs(value)} ${unit} ${value > 0 ? more : less}`];
  const climate = [
    ...change(warming_c, '°C', 'warmer', 'colder'),
    ...change(precipitation_change_percent, '%', 'more precipitation', 'less precipitation'),
  ].join(' and ');
  const practised = Object.entries(practice).map(
    ([feature, value]) => PRACTICE_TEXTS[feature]?.(value) ?? `${feature} ${value}`,
  );
  return [climate || "today's climate", ...practised].join(', ');
}
