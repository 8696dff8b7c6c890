import type { Signal } from '@preact/signals';
import { batch } from '@preact/signals';
import { warmingText } from '../page/format.js';
import { PRECIPITATION_PERCENT, precipitationPercent, WARMING_C, warmingC } from '../state/choices.js';
import { Menu, ResetButton } from './menu.js';
import { Slider } from './slider.js';

interface Climate {
  readonly name: string;
  readonly warmingC: number;
}

/** Named climates, all with today's precipitation: models do not agree on the sign of its change. */
const CLIMATES: readonly Climate[] = [
  { name: 'Today', warmingC: 0 },
  { name: '2050s, moderate', warmingC: 2 },
  { name: '2050s, high', warmingC: 3 },
  { name: '2080s, high', warmingC: 4 },
];

const signed = (value: number, text: string) => `${value > 0 ? '+' : value < 0 ? '−' : '±'}${text}`;
const isChosen = (climate: Climate) =>
  climate.warmingC === warmingC.value && precipitationPercent.value === 0;

/** The chosen climate in a few words. */
export function climateName(): string {
  const named = CLIMATES.find(isChosen);
  if (named !== undefined) return named.name;
  const parts = [
    warmingC.value === 0 ? '' : signed(warmingC.value, warmingText(warmingC.value)),
    precipitationPercent.value === 0
      ? ''
      : `${signed(precipitationPercent.value, String(Math.abs(precipitationPercent.value)))} % rain`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Climates with names and their source, and sliders for any other. */
export function ClimateMenu() {
  return (
    <Menu title="Climate" value={climateName()}>
      <fieldset>
        <legend>Climate by name</legend>
        {CLIMATES.map((climate) => (
          <label key={climate.name} class="check">
            <input
              type="radio"
              name="climate"
              checked={isChosen(climate)}
              onChange={() =>
                batch(() => {
                  warmingC.value = climate.warmingC;
                  precipitationPercent.value = 0;
                })
              }
            />
            {climate.name}
            {climate.warmingC === 0 ? ' (normals of 1991–2020)' : ` (+${warmingText(climate.warmingC)})`}
          </label>
        ))}
      </fieldset>
      <p class="small">
        Models for Oregon, against 1970–1999: 3 to 7 °F (1.7 to 3.9 °C) warmer by the 2050s and 5 to 11 °F
        (2.8 to 6.1 °C) by the 2080s if emissions keep rising (<i>high</i>); 2 to 7 °F (1.1 to 3.9 °C) by the
        2080s if they level off by midcentury (<i>moderate</i>). The normals of 1991–2020 have part of this
        already. Annual precipitation has no clear trend; summers become drier. Source: Oregon Climate Change
        Research Institute, Third Oregon Climate Assessment Report, 2017.
      </p>
      <ClimateSlider title="Warming" unit="°C" value={warmingC} limits={WARMING_C} sizeOf={warmingText} />
      <ClimateSlider
        title="Precipitation"
        unit="%"
        value={precipitationPercent}
        limits={PRECIPITATION_PERCENT}
        sizeOf={(percent) => `${Math.abs(percent)} %`}
      />
      <ResetButton />
    </Menu>
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
  return (
    <Slider
      title={title}
      unit={unit}
      text={signed(value.value, sizeOf(value.value))}
      value={value.value}
      {...limits}
      onValue={(chosen) => {
        value.value = chosen;
      }}
    />
  );
}
