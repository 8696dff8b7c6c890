import { areaUnit, counted, number, perArea, typedNumber, years } from '../page/format.js';
import { namesOf } from '../page/notes.js';
import { horizon } from '../state/choices.js';
import { MAX_TARGET_PER_HA, settings } from '../state/plan-settings.js';
import { type Unit, units } from '../state/units.js';
import { excessiveTargets, targetUnitOf, wrongTargets } from './targets.js';

/** What an order is for, as a sentence; nothing without a target. */
export function OrderBasis() {
  const { targetPerHa, targetColumn, basis, reservePercent } = settings.value;
  if (targetPerHa === null && targetColumn === null) return null;
  const same = targetPerHa !== null && `${typedNumber(perArea(targetPerHa))} per ${areaUnit()}`;
  const own = targetColumn !== null && `column ${targetColumn} per ${targetUnitOf(settings.value)}`;
  return (
    <p>
      Ordered for living trees after {years(horizon.value)}: {own || same}
      {own && same && `, ${same} where it is blank`}, and a reserve of {reservePercent} %. Calculated from{' '}
      {basis === 'low' ? 'the low end of survival' : 'survival'}.
    </p>
  );
}

/** Says which units have a target that cannot be read or is too high. */
export function WrongTargets() {
  const { targetColumn } = settings.value;
  const limit = `${number(perArea(MAX_TARGET_PER_HA), 0, 'floor')} per ${areaUnit()}`;
  return (
    <>
      <NoOrder
        affected={wrongTargets(units.value, settings.value)}
        why={`whose ${targetColumn} is not a number from 0 to ${number(MAX_TARGET_PER_HA)}`}
      />
      <NoOrder
        affected={excessiveTargets(units.value, settings.value)}
        why={`whose target with the reserve is above ${limit}`}
      />
    </>
  );
}

function NoOrder({ affected, why }: { affected: readonly Unit[]; why: string }) {
  if (affected.length === 0) return null;
  return (
    <p class="error" role="status">
      No order for {counted(affected.length, 'unit')}, {why}: {namesOf(affected)}.
    </p>
  );
}
