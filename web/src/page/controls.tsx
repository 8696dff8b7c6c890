import type { Signal } from '@preact/signals';
import { HORIZONS, METHODS } from '../api/types.js';
import { offeredLayers, shownLayerName } from '../map/layers.js';
import { catalogues } from '../state/catalogues.js';
import {
  horizon,
  type Layer,
  layer,
  method,
  PRECIPITATION_PERCENT,
  precipitationPercent,
  species,
  WARMING_C,
  warmingC,
} from '../state/choices.js';
import { METHOD_NAMES, years } from './format.js';

const LAYER_NAMES: Readonly<Record<Layer, string>> = {
  survival: 'Survival',
  advantage: 'Hand against drone',
  width: 'Interval width',
  best: 'Best native species',
};

/** What the map and the panels show: species, method, year, layer and climate. */
export function Controls() {
  const list = catalogues.value?.species ?? [];
  return (
    <header class="controls">
      <h1>
        nurselog <span>planner</span>
      </h1>
      <label>
        Species
        <select
          value={species.value}
          onChange={({ currentTarget }) => {
            species.value = currentTarget.value;
          }}
        >
          {list.length === 0 && <option value={species.value}>{species.value}</option>}
          {['conifer', 'hardwood'].map((group) => (
            <optgroup key={group} label={group === 'conifer' ? 'Conifers' : 'Hardwoods'}>
              {list
                .filter((each) => each.group === group)
                .toSorted((a, b) => a.common_name.localeCompare(b.common_name))
                .map(({ species_code, common_name, scientific_name }) => (
                  <option key={species_code} value={species_code} title={scientific_name}>
                    {common_name} ({species_code})
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <Choice title="Method" choice={method} options={METHODS.map((each) => [each, METHOD_NAMES[each]])} />
      <Choice title="Alive after" choice={horizon} options={HORIZONS.map((each) => [each, years(each)])} />
      <label>
        Map shows
        <select
          value={shownLayerName()}
          onChange={({ currentTarget }) => {
            layer.value = currentTarget.value as Layer;
          }}
        >
          {offeredLayers().map((name) => (
            <option key={name} value={name}>
              {LAYER_NAMES[name]}
            </option>
          ))}
        </select>
      </label>
      <Slider title="Warming" unit="°C" value={warmingC} limits={WARMING_C} />
      <Slider title="Precipitation" unit="%" value={precipitationPercent} limits={PRECIPITATION_PERCENT} />
      {(warmingC.value !== 0 || precipitationPercent.value !== 0) && (
        <button
          type="button"
          aria-label="Reset to today's climate"
          onClick={() => {
            warmingC.value = 0;
            precipitationPercent.value = 0;
          }}
        >
          Reset
        </button>
      )}
    </header>
  );
}

interface ChoiceProps<Value> {
  title: string;
  choice: Signal<Value>;
  options: readonly (readonly [Value, string])[];
}

/** A few options side by side. */
function Choice<Value extends string | number>({ title, choice, options }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend>{title}</legend>
      <div>
        {options.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name={title}
              checked={choice.value === value}
              onChange={() => {
                choice.value = value;
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SliderProps {
  title: string;
  unit: string;
  value: Signal<number>;
  limits: { readonly min: number; readonly max: number; readonly step: number };
}

function Slider({ title, unit, value, limits }: SliderProps) {
  const sign = value.value > 0 ? '+' : value.value < 0 ? '−' : '±';
  return (
    <label class="slider">
      <span class="slider-value">
        {title}{' '}
        <output>
          {sign}
          {Math.abs(value.value)} {unit}
        </output>
      </span>
      <input
        type="range"
        aria-label={`${title}, ${unit}`}
        min={limits.min}
        max={limits.max}
        step={limits.step}
        value={value.value}
        onInput={({ currentTarget }) => {
          value.value = Number(currentTarget.value);
        }}
      />
    </label>
  );
}
