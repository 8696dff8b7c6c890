import { number } from '../page/format.js';
import { NumberField } from '../page/number-field.js';
import { useTypedNumber } from '../page/use-typed-number.js';
import { catalogues } from '../state/catalogues.js';
import { type Practice, practice, practiceOf } from '../state/choices.js';
import { Menu, ResetButton } from './menu.js';
import { Slider } from './slider.js';

/** Sliders and fields for the practice of planting; no menu if the models have no features of practice. */
export function PracticeMenu() {
  const features = practiceOf(catalogues.value?.model.features ?? []);
  if (features.length === 0) return null;
  const count = Object.keys(practice.value).length;
  return (
    <Menu title="Practice" value={count === 0 ? 'Average' : `${count} set`}>
      {features.map((each) =>
        each.maximum <= 100 ? (
          <PracticeSlider key={each.feature} {...each} />
        ) : (
          <PracticeNumber key={each.feature} {...each} />
        ),
      )}
      <ResetButton />
    </Menu>
  );
}

/** Sets a feature of practice; null for the model's default. */
function setPractice(feature: string, value: number | null): void {
  const { [feature]: _, ...others } = practice.peek();
  practice.value = value === null ? others : { ...others, [feature]: value };
}

function PracticeSlider({ feature, factor, minimum, maximum, default: average }: Practice) {
  const value = practice.value[feature] ?? average;
  const percentPerUnit = 100 / maximum;
  return (
    <Slider
      title={titleOf(factor)}
      unit="%"
      text={`${Math.round(value * percentPerUnit)} %`}
      value={value}
      min={minimum}
      max={maximum}
      step={maximum / 100}
      onValue={(chosen) => setPractice(feature, chosen === average ? null : chosen)}
    />
  );
}

function PracticeNumber({ feature, factor, minimum, maximum, default: average }: Practice) {
  // A typed default is not turned into null: it may be the beginning of a longer number.
  const typed = useTypedNumber(practice.value[feature] ?? null, { min: minimum, max: maximum }, (value) =>
    setPractice(feature, value),
  );
  return (
    <NumberField
      label={titleOf(factor)}
      typed={typed}
      min={minimum}
      wrong={`From ${number(minimum)} to ${number(maximum)}.`}
      placeholder={String(average)}
    />
  );
}

const titleOf = (factor: string) => `${factor[0].toUpperCase()}${factor.slice(1)}`;
