import { catalogues, speciesName } from '../state/catalogues.js';
import { species } from '../state/choices.js';
import { changeSettings, type PlanSettings, settings } from '../state/plan-settings.js';

interface Preset {
  readonly title: string;
  readonly codes: readonly string[];
}

/** Sets that planners often ask for. Their species are named where they are offered. */
const PRESETS: readonly Preset[] = [
  {
    title: 'Timber of the westside',
    codes: ['PSME', 'TSHE', 'THPL', 'PISI', 'ABGR', 'ABPR', 'ALRU'],
  },
  {
    title: 'Drought-tolerant',
    codes: ['PIPO', 'PIJE', 'CADE', 'QUGA', 'JUOC', 'ARME'],
  },
];

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((code) => b.includes(code));

/** The sets that the service has species of, without those that it lacks; all until its species are known. */
function presets(): readonly Preset[] {
  const known = catalogues.value?.species.map(({ species_code }) => species_code);
  if (known === undefined) return PRESETS;
  return PRESETS.map(({ title, codes }) => ({
    title,
    codes: codes.filter((code) => known.includes(code)),
  })).filter(({ codes }) => codes.length > 0);
}

/** The codes that are asked for; undefined for all. */
export function askedSpecies({ species: asked }: PlanSettings): readonly string[] | undefined {
  if (asked === 'all') return undefined;
  return asked === 'chosen' ? [species.value] : asked;
}

/** The species that are asked for, as a part of a sentence. */
export function scopeText(asked: PlanSettings): string {
  const codes = askedSpecies(asked);
  if (codes === undefined) return asked.nativeOnly ? 'all native species' : 'all species';
  const preset = presets().find((each) => isSame(each.codes, codes));
  const names = codes.map(speciesName).join(', ');
  return preset === undefined ? names : `${preset.title.toLowerCase()} (${names})`;
}

/** Chooses the species that plans and rankings are asked for. @param props.name unique in the page */
export function SpeciesSets({ name }: { name: string }) {
  const { species: asked, nativeOnly } = settings.value;
  const codes = typeof asked === 'string' ? [] : asked;
  const sets = presets();
  const preset = sets.find((each) => isSame(each.codes, codes));
  const isOwn = typeof asked !== 'string' && preset === undefined;
  const choose = (chosen: PlanSettings['species']) => changeSettings({ species: chosen });
  const options: readonly (readonly [string, boolean, PlanSettings['species']])[] = [
    ['All species', asked === 'all', 'all'],
    [`${speciesName(species.value)} only`, asked === 'chosen', 'chosen'],
    ...sets.map((each) => [each.title, each === preset, each.codes] as const),
    ['My choice', isOwn, [species.value]],
  ];
  return (
    <fieldset class="species-sets">
      <legend>Species</legend>
      <div class="filters">
        {options.map(([title, isChosen, value]) => (
          <label key={title} class="check">
            <input type="radio" name={name} checked={isChosen} onChange={() => choose(value)} />
            {title}
          </label>
        ))}
        <label class="check">
          <input
            type="checkbox"
            checked={nativeOnly}
            onChange={() => changeSettings({ nativeOnly: !nativeOnly })}
          />
          Native species only
        </label>
      </div>
      {preset !== undefined && <p class="small">{preset.codes.map(speciesName).join(', ')}.</p>}
      {isOwn && (
        <div class="species-list">
          {(catalogues.value?.species ?? [])
            .toSorted((a, b) => a.common_name.localeCompare(b.common_name))
            .map(({ species_code, common_name }) => (
              <label key={species_code} class="check">
                <input
                  type="checkbox"
                  checked={codes.includes(species_code)}
                  onChange={({ currentTarget: { checked } }) =>
                    choose(checked ? [...codes, species_code] : codes.filter((each) => each !== species_code))
                  }
                />
                {common_name}
              </label>
            ))}
        </div>
      )}
      {isOwn && codes.length === 0 && (
        <p class="error" role="alert">
          Choose at least one species.
        </p>
      )}
    </fieldset>
  );
}
