import { signal } from '@preact/signals';
import { LegendContent } from '../map/legend.js';
import { mapPicture, shownLayer } from '../map/shown-map.js';
import { catalogues, nameOf } from '../state/catalogues.js';
import {
  assumptions,
  conditions,
  elevationM,
  horizon,
  layer,
  method,
  panel,
  site,
  species,
} from '../state/choices.js';
import { assumptionsText, elevationText, METHOD_NAMES, quantity, years } from './format.js';

/** The map as it is printed; undefined where the browser's own command prints. */
const picture = signal<string | undefined>(undefined);

/** Prints the open panel with the map. */
export async function printPage(): Promise<void> {
  picture.value = await mapPicture();
  window.addEventListener(
    'afterprint',
    () => {
      picture.value = undefined;
    },
    { once: true },
  );
  setTimeout(() => window.print(), 100); // after the picture is in the page
}

/** On paper above every panel: what was chosen, when, by which model, and the map with its legend. */
export function PrintHead() {
  const model = catalogues.value?.model;
  const shown = shownLayer.value;
  return (
    <div class="print-only print-head">
      <p>
        <strong>nurselog</strong>, {new Date().toLocaleDateString('en-US', { dateStyle: 'long' })}.{' '}
        {nameOf(species.value)}, {METHOD_NAMES[method.value].toLowerCase()}, alive after{' '}
        {years(horizon.value)}, {assumptionsText(assumptions())}. Model {model?.version}, digest{' '}
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
      {picture.value !== undefined && (
        <figure>
          <img src={picture.value} alt="The map" />
          {shown !== null && (
            <figcaption class="legend">
              <strong>
                {layer.value === 'best' ? '' : `${nameOf(species.value)}. `}
                {shown.scale.title}
              </strong>
              <LegendContent shown={shown} />
            </figcaption>
          )}
        </figure>
      )}
    </div>
  );
}

/** What was typed in for the site. */
function ownValues(): string {
  const features = catalogues.value?.model.features ?? [];
  const measured = features
    .filter(({ feature }) => feature in conditions.value)
    .map(({ feature, factor, unit }) => `${factor} ${quantity(conditions.value[feature]!, unit, 1)}`);
  const own = elevationM.value === null ? [] : [`own elevation ${elevationText(elevationM.value)}`];
  return [...own, ...measured].map((text) => `, ${text}`).join('');
}
