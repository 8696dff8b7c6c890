import { useEffect, useState } from 'preact/hooks';
import { AboutPanel } from '../about/about-panel.js';
import { Controls } from '../header/controls.js';
import { MapView } from '../map/map-view.js';
import { SitePanel } from '../site/site-panel.js';
import { areOutdated, catalogues, loadCatalogues } from '../state/catalogues.js';
import { PANELS, type Panel, panel, site } from '../state/choices.js';
import { attempt, trouble, tryAgain } from '../state/connection.js';
import { key } from '../state/key.js';
import { drawing, editedUnit } from '../state/units.js';
import { UnitsPanel } from '../units/units-panel.js';
import { KeyForm } from './key-form.js';
import { ErrorNote } from './notes.js';
import { PrintHead } from './print-head.js';
import { SheetHandle, sheet, showHalf } from './sheet.js';
import { PROBLEMS, TroubleBanner } from './trouble-banner.js';
import { UnusedChoices } from './unused-choices.js';

const TITLES: Readonly<Record<Panel, string>> = { site: 'Site', units: 'Units', about: 'About the figures' };

/** The whole page: a form for the key, then map and panels. */
export function Page() {
  const secret = key.value;
  const round = attempt.value;
  const isOutdated = areOutdated.value;
  const [failure, setFailure] = useState<Error | null>(null);
  // Another round asks again for what is missing.
  useEffect(() => {
    if (secret === null) return undefined;
    const controller = new AbortController();
    setFailure(null);
    // Other failures are shown by the banner and the form.
    loadCatalogues(controller.signal).catch((error: Error) => {
      if (!controller.signal.aborted && trouble.peek() === null) setFailure(error);
    });
    return () => controller.abort();
  }, [secret, round, isOutdated]);

  const refused = trouble.value?.problem === 'key_refused' || trouble.value?.problem === 'key_inactive';
  if (secret === null || refused) return <KeyForm />;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('panel')?.focus()}>
        Skip the map
      </button>
      <Controls />
      <TroubleBanner />
      <UnusedChoices />
      <main data-sheet={sheet.value}>
        <MapView />
        <Panels failure={failure} />
      </main>
    </>
  );
}

/** Where the figures come from, always in view. */
function Origin() {
  const model = catalogues.value?.model;
  if (model === undefined || panel.value === 'about') return null;
  return (
    <p class="caution origin no-print">
      Outcomes are <strong>{model.outcomes}</strong>
      {model.outcomes === 'simulated'
        ? ': use the figures to learn and to compare assumptions, not to choose what or where to plant. '
        : '. '}
      <button
        type="button"
        class="link"
        onClick={() => {
          panel.value = 'about';
        }}
      >
        What the figures mean
      </button>
    </p>
  );
}

/** Shown until the catalogues are loaded. @param props.failure why they are not, if the banner does not say it */
function NotLoaded({ failure }: { failure: Error | null }) {
  const problem = trouble.value?.problem;
  if (failure !== null)
    return (
      <>
        <ErrorNote error={failure} />
        <button type="button" onClick={tryAgain}>
          Try again
        </button>
      </>
    );
  return <p role="status">{problem === undefined ? 'Loading …' : `Not loaded. ${PROBLEMS[problem]}`}</p>;
}

function Panels({ failure }: { failure: Error | null }) {
  const known = catalogues.value;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = PANELS.at((PANELS.indexOf(panel.value) + step) % PANELS.length)!;
    panel.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  const [place, isDrawing] = [site.value, drawing.value !== null || editedUnit.value !== null];
  useEffect(() => {
    if (place !== null) showHalf('sheet');
  }, [place]);
  useEffect(() => {
    if (isDrawing) showHalf('map');
  }, [isDrawing]);
  return (
    <div class="panels">
      <SheetHandle />
      <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={move}>
        {PANELS.map((name) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={panel.value === name}
            aria-controls="panel"
            tabIndex={panel.value === name ? 0 : -1}
            onClick={() => {
              panel.value = name;
            }}
          >
            {TITLES[name]}
          </button>
        ))}
      </div>
      <Origin />
      {/* Focusable because it scrolls. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as the pattern for tabs of the ARIA guide has it */}
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${panel.value}`} tabIndex={0}>
        {known === null ? <NotLoaded failure={failure} /> : <PrintHead />}
        {known !== null && panel.value === 'site' && <SitePanel />}
        {/* Rendered while hidden, since points may be scored there, and without catalogues, to edit and save units. */}
        <div hidden={panel.value !== 'units'}>
          <UnitsPanel />
        </div>
        {known !== null && panel.value === 'about' && (
          <AboutPanel model={known.model} coverage={known.coverage} />
        )}
      </div>
    </div>
  );
}
