import { signal } from '@preact/signals';
import { keepText, storageOf } from './storage.js';

/** Metric units, or those of the United States: acres, feet, miles, inches, degrees Fahrenheit. */
export type Measures = 'metric' | 'us';

const STORED_AS = 'nurselog-measures';
const storage = storageOf('localStorage');
const stored = storage?.getItem(STORED_AS);

/** The units that quantities are shown and typed in; by default those of the browser's language. */
export const measures = signal<Measures>(
  stored === 'us' || stored === 'metric' ? stored : navigator.language === 'en-US' ? 'us' : 'metric',
);

/** Changes the units and keeps the choice. */
export function chooseMeasures(chosen: Measures): void {
  keepText(storage, STORED_AS, chosen);
  measures.value = chosen;
}
