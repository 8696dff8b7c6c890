import { number } from '../page/format.js';
import { NumberField } from '../page/number-field.js';
import { useTypedNumber } from '../page/use-typed-number.js';
import { catalogues } from '../state/catalogues.js';
import { type Practice, practice, practiceOf } from '../state/choices.js';
import { Menu, ResetButton } from './menu.js';
import { Slider } from './slider.js';

/** What the planner does: nothing where the models have no features of practice. */
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

/** Chooses what is done about a feature of practice; null for the model's default. */
function practise(feature: string, value: number | null): void {
  const { [feature]: _, ...others } = practice.peek();
  practice.value = value === null ? others : { ...others, [feature]: value };
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
      onValue={(chosen) => practise(feature, chosen === average ? null : chosen)}
    />
  );
}

function PracticeNumber({ feature, factor, minimum, maximum, default: average }: Practice) {
  // The default stays as it is typed: it may be the beginning of a longer number.
  const typed = useTypedNumber(practice.value[feature] ?? null, { min: minimum, max: maximum }, (value) =>
    practise(feature, value),
  );
  return (
    <NumberField
      label={titleOf(factor)}
      typed={typed}
      min={minimum}
      max={maximum}
      wrong={`From ${number(minimum)} to ${number(maximum)}.`}
      placeholder={String(average)}
    />
  );
}

const titleOf = (factor: string) => `${factor[0]!.toUpperCase()}${factor.slice(1)}`;
