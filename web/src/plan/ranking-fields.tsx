import { typedNumber } from '../page/format.js';
import { NumberField } from '../page/number-field.js';
import { useTypedNumber } from '../page/use-typed-number.js';
import { changeSettings, RANKINGS, type RankBy, settings } from '../state/plan-settings.js';

const RANKING_NAMES: Readonly<Record<RankBy, string>> = {
  cost: 'cheapest survivor',
  survival: 'highest survival',
  safest: 'safest: highest low end',
};
const PERCENT = { min: 0, max: 100, isNeeded: true };

interface RankingFieldsProps {
  rankBy: RankBy;
  hasCosts: boolean;
  hasOtherClimate: boolean;
}

/** Fields for the ranking of options, the threshold below which they are unsure, and the comparison with today. */
export function RankingFields({ rankBy, hasCosts, hasOtherClimate }: RankingFieldsProps) {
  const threshold = useTypedNumber(
    Number(typedNumber(settings.value.threshold * 100)),
    PERCENT,
    (value) => value !== null && changeSettings({ threshold: value / 100 }),
  );
  return (
    <div class="filters costs">
      <label>
        Rank by
        <select
          value={rankBy}
          onChange={({ currentTarget: { value } }) => changeSettings({ rankBy: value as RankBy })}
        >
          {RANKINGS.filter((each) => hasCosts || each !== 'cost').map((each) => (
            <option key={each} value={each}>
              {RANKING_NAMES[each]}
            </option>
          ))}
        </select>
      </label>
      <NumberField
        label="Unsure where the low end is below, %"
        typed={threshold}
        min={PERCENT.min}
        wrong="From 0 to 100."
      />
      {hasOtherClimate && (
        <label class="check">
          <input
            type="checkbox"
            checked={settings.value.comparesToday}
            onChange={({ currentTarget }) => changeSettings({ comparesToday: currentTarget.checked })}
          />
          Compare with today's climate
        </label>
      )}
    </div>
  );
}
