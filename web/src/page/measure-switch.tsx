import { chooseMeasures, type Measures, measures } from '../state/measures.js';

const NAMES: Readonly<Record<Measures, string>> = { us: 'Acres, feet, °F', metric: 'Hectares, m, °C' };

/** Chooses the units of all quantities on the page. */
export function MeasureSwitch() {
  return (
    <label>
      Units of measure
      <select
        value={measures.value}
        onChange={({ currentTarget }) => chooseMeasures(currentTarget.value as Measures)}
      >
        {(['us', 'metric'] as const).map((each) => (
          <option key={each} value={each}>
            {NAMES[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
