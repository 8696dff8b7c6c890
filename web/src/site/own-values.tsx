import { useState } from 'preact/hooks';
import type { Comparison } from '../api/types.js';
import { type Measure, measureOf, number } from '../page/format.js';
import { NumberField } from '../page/number-field.js';
import { useTypedNumber } from '../page/use-typed-number.js';
import { catalogues } from '../state/catalogues.js';
import { conditions, ELEVATION_M, elevationM, measurableOf, method } from '../state/choices.js';
import { ElevationNote } from './elevation-note.js';

/**
 * What the planner knows better than the grid: the site's own elevation, and measured conditions.
 * @param props.answer with the grid's values; null while there is none
 * @param props.matchedM elevation of the matched point; undefined while it is not known
 */
export function OwnValues({ answer, matchedM }: { answer: Comparison | null; matchedM: number | undefined }) {
  // A new key empties the fields, even those whose text is not a number.
  const [resets, setResets] = useState(0);
  const prediction = answer?.comparison[method.value].predictions[0];
  const used = new Map(prediction?.contributions?.map(({ feature, value }) => [feature, value]));
  const measured = conditions.value;
  const set = (feature: string, value: number | null) => {
    const { [feature]: _, ...others } = conditions.peek();
    conditions.value = value === null ? others : { ...others, [feature]: value };
  };
  const count = Object.keys(measured).length;
  // A state of its own, so that emptying a field to type another number does not close the details.
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <section key={resets} class="own">
      <h3>What you know of the site</h3>
      <Field
        label="Elevation"
        measure={measureOf('m')}
        value={elevationM.value}
        placeholder={matchedM === undefined ? '' : number(measureOf('m').fromMetric(matchedM))}
        limits={ELEVATION_M}
        onValue={(value) => {
          elevationM.value = value;
        }}
      />
      <ElevationNote matchedM={matchedM} />
      <details open={isOpen}>
        <summary>Measured conditions{count > 0 && ` (${count})`}</summary>
        {measurableOf(catalogues.value?.model.features ?? []).map(
          ({ feature, factor, unit, minimum, maximum }) => (
            <Field
              key={feature}
              label={factor}
              measure={measureOf(unit)}
              value={measured[feature] ?? null}
              placeholder={
                used.has(feature)
                  ? String(Number(measureOf(unit).fromMetric(used.get(feature)!).toFixed(3)))
                  : ''
              }
              limits={{ min: minimum, max: maximum }}
              onValue={(value) => set(feature, value)}
            />
          ),
        )}
      </details>
      {(count > 0 || elevationM.value !== null) && (
        <button
          type="button"
          onClick={() => {
            elevationM.value = null;
            conditions.value = {};
            setOpen(false);
            setResets(resets + 1);
          }}
        >
          Use the grid's values
        </button>
      )}
    </section>
  );
}

interface FieldProps {
  label: string;
  measure: Measure;
  value: number | null;
  placeholder: string;
  /** In the unit of the interface, as is the value. */
  limits: { readonly min: number; readonly max: number };
  onValue: (value: number | null) => void;
}

/** A number that may be left empty. One outside the limits shows a message and is not used. */
function Field({ label, measure, value, placeholder, limits, onValue }: FieldProps) {
  const typed = useTypedNumber(value, limits, onValue, measure);
  const [min, max] = [measure.fromMetric(limits.min), measure.fromMetric(limits.max)];
  return (
    <NumberField
      class="field"
      label={`${label}${measure.name === '' ? '' : `, ${measure.name}`}`}
      typed={typed}
      min={min}
      wrong={`From ${number(min, 2, 'ceil')} to ${number(max, 2, 'floor')}.`}
      placeholder={placeholder}
    />
  );
}
