import { unusedChoices } from '../state/choices.js';

/** The most characters of unused choices that are quoted. */
const MAX_QUOTED = 200;

/** Lists the parts of a link or project that cannot be used. */
export function UnusedChoices() {
  if (unusedChoices.value.length === 0) return null;
  const text = unusedChoices.value.join(', ');
  return (
    <div class="banner" role="alert">
      This page cannot use these parts of the link or project: {text.slice(0, MAX_QUOTED)}
      {text.length > MAX_QUOTED ? ' …' : '.'}
      <button
        type="button"
        onClick={() => {
          unusedChoices.value = [];
        }}
      >
        Close
      </button>
    </div>
  );
}
