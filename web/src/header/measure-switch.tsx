import { chooseMeasures, type Measures, measures } from '../state/measures.js';

const NAMES: Readonly<Record<Measures, string>> = { us: 'US units', metric: 'Metric' };
const TITLES: Readonly<Record<Measures, string>> = {
  us: 'acres, feet, miles, inches, °F',
  metric: 'hectares, metres, kilometres, millimetres, °C',
};

/** Changes the units of all quantities on the page. */
export function MeasureSwitch() {
  const other = measures.value === 'us' ? 'metric' : 'us';
  return (
    <button
      type="button"
      class="measures"
      title={`Now ${TITLES[measures.value]}. Change to ${TITLES[other]}`}
      onClick={() => chooseMeasures(other)}
    >
      {NAMES[measures.value]}
    </button>
  );
}
