import type { Signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { HORIZONS, METHODS, type Method } from '../api/types.js';
import { offeredLayers, shownLayerName } from '../map/layers.js';
import { METHOD_NAMES, years } from '../page/format.js';
import { catalogues, speciesName } from '../state/catalogues.js';
import { horizon, type Layer, layer, method, species } from '../state/choices.js';
import { ClimateMenu, climateName } from './climate-menu.js';
import { MeasureSwitch } from './measure-switch.js';
import { PracticeMenu } from './practice-menu.js';

const SHORT_METHODS: Readonly<Record<Method, string>> = { manual: 'Hand', drone_seeded: 'Drone' };

const LAYER_NAMES: Readonly<Record<Layer, string>> = {
  survival: 'Survival',
  change: 'Change from today',
  advantage: 'Hand against drone',
  width: 'Interval width',
  best: 'Best native species',
};

/** What the map and the panels show: species, method, year, layer and climate. */
export function Controls() {
  // On a narrow screen the options are closed until they are asked for.
  const [isOpen, setOpen] = useState(false);
  const list = catalogues.value?.species ?? [];
  return (
    <header class="controls">
      <h1>
        nurselog <span>planner</span>
      </h1>
      <button
        type="button"
        class="options-button"
        aria-expanded={isOpen}
        aria-controls="options"
        onClick={() => setOpen(!isOpen)}
      >
        {speciesName(species.value)}, {SHORT_METHODS[method.value].toLowerCase()}, {years(horizon.value)},{' '}
        {climateName()}
      </button>
      <div id="options" class={isOpen ? 'options is-open' : 'options'}>
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
        <Choice
          title="Method"
          choice={method}
          options={METHODS.map((each) => [each, METHOD_NAMES[each], SHORT_METHODS[each]])}
        />
        <Choice
          title="Alive after"
          choice={horizon}
          options={HORIZONS.map((each) => [each, years(each), each === 5 ? '5 years' : String(each)])}
        />
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
        <ClimateMenu />
        <PracticeMenu />
        <MeasureSwitch />
      </div>
    </header>
  );
}

interface ChoiceProps<Value> {
  title: string;
  choice: Signal<Value>;
  /** Value, name, and the short form of the name that is shown. */
  options: readonly (readonly [Value, string, string])[];
}

/** A few options side by side. */
function Choice<Value extends string | number>({ title, choice, options }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend>{title}</legend>
      <div>
        {options.map(([value, name, short]) => (
          <label key={value}>
            <input
              type="radio"
              name={title}
              aria-label={name}
              checked={choice.value === value}
              onChange={() => {
                choice.value = value;
              }}
            />
            <span>{short}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
