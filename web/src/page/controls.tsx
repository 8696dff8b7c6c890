import type { Signal } from '@preact/signals';
import { HORIZONS, METHODS } from '../api/types.js';
import { offeredLayers, shownLayerName } from '../map/layers.js';
import { catalogues } from '../state/catalogues.js';
import {
  assumptions,
  horizon,
  type Layer,
  layer,
  method,
  PRECIPITATION_PERCENT,
  type Practice,
  practice,
  practiceOf,
  precipitationPercent,
  species,
  WARMING_C,
  warmingC,
} from '../state/choices.js';
import { METHOD_NAMES, warmingText, years } from './format.js';
import { MeasureSwitch } from './measure-switch.js';
import { useTypedNumber } from './use-typed-number.js';

const LAYER_NAMES: Readonly<Record<Layer, string>> = {
  survival: 'Survival',
  change: 'Change from today',
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
      <MeasureSwitch />
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
      <ClimateSlider title="Warming" unit="°C" value={warmingC} limits={WARMING_C} sizeOf={warmingText} />
      <ClimateSlider
        title="Precipitation"
        unit="%"
        value={precipitationPercent}
        limits={PRECIPITATION_PERCENT}
        sizeOf={(percent) => `${Math.abs(percent)} %`}
      />
      <PracticeControls features={practiceOf(catalogues.value?.model.features ?? [])} />
      {Object.keys(assumptions()).length > 0 && (
        <button
          type="button"
          aria-label="Reset to today's climate and average practice"
          onClick={() => {
            warmingC.value = 0;
            precipitationPercent.value = 0;
            practice.value = {};
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

interface ClimateSliderProps {
  title: string;
  unit: string;
  value: Signal<number>;
  limits: { readonly min: number; readonly max: number; readonly step: number };
  /** A value as text, without its sign. */
  sizeOf: (value: number) => string;
}

function ClimateSlider({ title, unit, value, limits, sizeOf }: ClimateSliderProps) {
  const sign = value.value > 0 ? '+' : value.value < 0 ? '−' : '±';
  return (
    <Slider
      title={title}
      unit={unit}
      text={`${sign}${sizeOf(value.value)}`}
      value={value.value}
      {...limits}
      onValue={(chosen) => {
        value.value = chosen;
      }}
    />
  );
}

/** What the planner does. */
function PracticeControls({ features }: { features: readonly Practice[] }) {
  if (features.length === 0) return null;
  const count = Object.keys(practice.value).length;
  return (
    <details class="practice" open={count > 0}>
      <summary>Practice{count > 0 && ` (${count})`}</summary>
      <div>
        {features.map((each) =>
          each.maximum <= 100 ? (
            <PracticeSlider key={each.feature} {...each} />
          ) : (
            <PracticeNumber key={each.feature} {...each} />
          ),
        )}
      </div>
    </details>
  );
}

/** Chooses what is done about a feature of practice; the model's default is not asked for. */
function practise(feature: string, value: number, average: number): void {
  const { [feature]: _, ...others } = practice.peek();
  practice.value = value === average ? others : { ...others, [feature]: value };
}

function PracticeSlider({ feature, factor, minimum, maximum, default: average }: Practice) {
  const value = practice.value[feature] ?? average;
  const perCent = 100 / maximum;
  return (
    <Slider
      title={titleOf(factor)}
      unit="%"
      text={`${Math.round(value * perCent)} %`}
      value={value}
      min={minimum}
      max={maximum}
      step={maximum / 100}
      onValue={(chosen) => practise(feature, chosen, average)}
    />
  );
}

function PracticeNumber({ feature, factor, minimum, maximum, default: average }: Practice) {
  const typed = useTypedNumber(practice.value[feature] ?? null, { min: minimum, max: maximum }, (value) =>
    practise(feature, value ?? average, average),
  );
  return (
    <label>
      {titleOf(factor)}
      <input
        type="number"
        min={minimum}
        max={maximum}
        value={typed.text}
        placeholder={String(average)}
        aria-invalid={typed.isWrong}
        onInput={typed.onInput}
      />
    </label>
  );
}

const titleOf = (factor: string) => `${factor[0]!.toUpperCase()}${factor.slice(1)}`;

interface SliderProps {
  title: string;
  unit: string;
  text: string;
  value: number;
  min: number;
  max: number;
  step: number;
  onValue: (value: number) => void;
}

function Slider({ title, unit, text, value, min, max, step, onValue }: SliderProps) {
  return (
    <label class="slider">
      <span class="slider-value">
        {title} <output>{text}</output>
      </span>
      <input
        type="range"
        aria-label={`${title}, ${unit}`}
        min={min}
        max={max}
        step={step}
        value={value}
        onInput={({ currentTarget }) => onValue(Number(currentTarget.value))}
      />
    </label>
  );
}
