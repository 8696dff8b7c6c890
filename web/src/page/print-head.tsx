import { catalogues, speciesName } from '../state/catalogues.js';
import {
  assumptions,
  conditions,
  elevationM,
  horizon,
  method,
  panel,
  site,
  species,
} from '../state/choices.js';
import { units } from '../state/units.js';
import { assumptionsText, elevationText, METHOD_NAMES, quantity, years } from './format.js';
import { PrintedMap } from './printed-map.js';

/** Prints the open panel. The browser's own command prints the same. */
export const printPage = () => window.print();

/** On paper above every panel: what was chosen, when, by which model, and the map with its legend. */
export function PrintHead() {
  const model = catalogues.value?.model;
  // What is below names species and methods, and has the map.
  const hasPlan = panel.value === 'units' && units.value.length > 0;
  return (
    <div class="print-only print-head">
      <p>
        <strong>nurselog</strong>, {new Date().toLocaleDateString('en-US', { dateStyle: 'long' })}.{' '}
        {hasPlan
          ? 'Alive'
          : `${speciesName(species.value)}, ${METHOD_NAMES[method.value].toLowerCase()}, alive`}{' '}
        after {years(horizon.value)}, {assumptionsText(assumptions())}. Model {model?.version}, digest{' '}
        {model?.digest.slice(0, 12)}.
      </p>
      {panel.value === 'site' && site.value !== null && (
        <p>
          Site {site.value.latitude}, {site.value.longitude}
          {ownValues()}.
        </p>
      )}
      {panel.value !== 'about' && (
        <p class="caution">
          Outcomes: <strong>{model?.outcomes}</strong>. {model?.caution}
        </p>
      )}
      {!hasPlan && <PrintedMap />}
    </div>
  );
}

/** What was typed in for the site. */
function ownValues(): string {
  const features = catalogues.value?.model.features ?? [];
  const measured = features
    .filter(({ feature }) => feature in conditions.value)
    .map(({ feature, factor, unit }) => `${factor} ${quantity(conditions.value[feature], unit, 1)}`);
  const own = elevationM.value === null ? [] : [`own elevation ${elevationText(elevationM.value)}`];
  return [...own, ...measured].map((text) => `, ${text}`).join('');
}
