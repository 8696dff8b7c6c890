import { nameOf } from '../state/catalogues.js';
import { species, unknownSpecies } from '../state/choices.js';

/** Says that the species of a link or project is not the one that is shown. */
export function UnknownSpecies() {
  if (unknownSpecies.value === null) return null;
  return (
    <div class="banner" role="alert">
      This service has no species "{unknownSpecies.value}", which the link or project asks for. Shown is{' '}
      {nameOf(species.value)}.
      <button
        type="button"
        onClick={() => {
          unknownSpecies.value = null;
        }}
      >
        Close
      </button>
    </div>
  );
}
