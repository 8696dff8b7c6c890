import { areaUnit, type Measure, number, perArea, perHectare } from '../page/format.js';
import { NumberField } from '../page/number-field.js';
import { useTypedNumber } from '../page/use-typed-number.js';
import { changeSettings, MAX_RESERVE_PERCENT, MAX_TARGET_PER_HA, settings } from '../state/plan-settings.js';
import { units } from '../state/units.js';
import { WrongTargets } from './order-basis.js';
import { columnUnit, targetColumns, targetUnitOf } from './targets.js';

const RULE = 'https://secure.sos.state.or.us/oard/view.action?ruleNumber=629-610-0020';
const RESERVE = { min: 0, max: MAX_RESERVE_PERCENT, isNeeded: true };
const TARGET_PER_HA = { min: 0.001, max: MAX_TARGET_PER_HA };

/** Fields for the living trees wanted and the reserve, from which orders of trees or pods are calculated. */
export function OrderFields() {
  const { targetPerHa, targetColumn, basis, reservePercent } = settings.value;
  const perUnit: Measure = {
    name: `trees per ${areaUnit()}`,
    fromMetric: perArea,
    toMetric: (value) => Number(perHectare(value).toFixed(9)),
  };
  const target = useTypedNumber(
    targetPerHa,
    TARGET_PER_HA,
    (value) => changeSettings({ targetPerHa: value }),
    perUnit,
  );
  const reserve = useTypedNumber(
    reservePercent,
    RESERVE,
    (value) => value !== null && changeSettings({ reservePercent: value }),
  );
  // The chosen column is offered even if no unit has it any more: the plan keeps it until another is chosen.
  const chosen = targetColumn === null ? [] : [targetColumn];
  const columns = [...new Set([...targetColumns(units.value), ...chosen])];
  return (
    <>
      <div class="filters costs">
        <NumberField
          label={`Living trees wanted per ${areaUnit()}`}
          typed={target}
          min={0}
          wrong={`Above 0, at most ${number(perArea(MAX_TARGET_PER_HA), 0, 'floor')}.`}
        />
        <NumberField
          label="Reserve, %"
          typed={reserve}
          min={RESERVE.min}
          wrong={`From 0 to ${number(MAX_RESERVE_PERCENT)}.`}
        />
        <label>
          Calculated from
          <select
            value={basis}
            onChange={({ currentTarget: { value } }) =>
              changeSettings({ basis: value === 'low' ? 'low' : 'mean' })
            }
          >
            <option value="mean">survival</option>
            <option value="low">its low end (careful)</option>
          </select>
        </label>
        {columns.length > 0 && (
          <label>
            Target of each unit
            <select
              value={targetColumn ?? ''}
              onChange={({ currentTarget: { value } }) =>
                changeSettings({ targetColumn: value || null, targetUnit: value ? columnUnit(value) : null })
              }
            >
              <option value="">the same for all</option>
              {columns.map((name) => (
                <option key={name} value={name}>
                  column {name}, per {name === targetColumn ? targetUnitOf(settings.value) : columnUnit(name)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <WrongTargets />
      <p class="small">
        On its better sites (cubic foot site class I to III), Oregon asks for 200 free-to-grow seedlings per
        acre:{' '}
        <a href={RULE} target="_blank" rel="noreferrer">
          Oregon Administrative Rule 629-610-0020
        </a>
        . A tree that is alive need not be free to grow, and the caution above holds for orders, too.
      </p>
    </>
  );
}
