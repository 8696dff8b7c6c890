import type { Method } from '../api/types.js';
import { METHODS } from '../api/types.js';
import { METHOD_NAMES, number } from '../page/format.js';
import { NumberField } from '../page/number-field.js';
import { useTypedNumber } from '../page/use-typed-number.js';
import { changeSettings, MAX_COST, settings } from '../state/plan-settings.js';

const COST_LABELS: Readonly<Record<Method, string>> = {
  manual: 'per planted tree,\u00a0$',
  drone_seeded: 'per sown spot,\u00a0$',
};

/** In dollars. */
const COST_LIMITS = { min: 1e-6, max: MAX_COST };

/** The costs of a planted tree and a sown spot. */
export const CostFields = () => (
  <div class="filters costs">
    {METHODS.map((each) => (
      <CostField key={each} method={each} />
    ))}
  </div>
);

function CostField({ method }: { method: Method }) {
  const { costs } = settings.value;
  const typed = useTypedNumber(costs[method], COST_LIMITS, (cost) =>
    changeSettings({ costs: { ...costs, [method]: cost } }),
  );
  const { min, max } = COST_LIMITS;
  const isMissing = typed.text === '' && METHODS.some((each) => costs[each] !== null);
  return (
    <NumberField
      label={`${METHOD_NAMES[method]}, ${COST_LABELS[method]}`}
      typed={typed}
      min={min}
      wrong={`From $${min} to $${number(max)}.`}
    >
      {isMissing && !typed.isWrong && <span role="status">Costs per survivor need both costs.</span>}
    </NumberField>
  );
}
