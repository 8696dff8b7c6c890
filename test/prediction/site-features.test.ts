import fc from 'fast-check';
import { expect, test } from 'vitest';
import { valueAt } from '../../src/prediction/artefacts/shared-grid.js';
import { saturationPressure, siteFeatures } from '../../src/prediction/site-features.js';
import {
  adjustmentWidth,
  CONDITIONS,
  OPTION,
  OWN_ELEVATION,
  PRECIPITATION_CHANGE,
  SiteRows,
  WARMING,
} from '../../src/prediction/site-rows.js';
import { readPredictorData } from '../../testing/project.js';
import { forAll } from '../support/for-all.js';

const { grid, manifest } = readPredictorData();
const names = manifest.features.map(({ name }) => name);
const sites = siteFeatures(grid, manifest);

interface Stated {
  readonly elevationM?: number;
  readonly conditions?: Readonly<Record<string, number>>;
  readonly warming?: number;
  readonly precipitationChange?: number;
}

/** The features by name of a grid point with what is stated in their place. */
function featuresOf(point: number, stated?: Stated): Record<string, number> {
  const rows = new SiteRows(1, adjustmentWidth(manifest));
  if (stated !== undefined) {
    rows.options[0] = OPTION.adjusted;
    const adjustments = rows.adjustments.fill(Number.NaN);
    adjustments[OWN_ELEVATION] = stated.elevationM ?? Number.NaN;
    adjustments[WARMING] = stated.warming ?? Number.NaN;
    adjustments[PRECIPITATION_CHANGE] = stated.precipitationChange ?? Number.NaN;
    for (const [name, value] of Object.entries(stated.conditions ?? {}))
      adjustments[CONDITIONS + names.indexOf(name)] = value;
  }
  const features = sites.featuresOf(rows, Int32Array.of(0), Int32Array.of(point));
  return Object.fromEntries(names.map((name, feature) => [name, features[feature]]));
}

const point = fc.nat(grid.pointCount - 1);
const rise = fc.integer({ min: -1000, max: 1000 });
const warming = fc.double({ min: -5, max: 10, noNaN: true });
const column = (name: string, at: number) => valueAt(grid.columns[name], at);

test('the saturation pressure is that of the handbooks', () => {
  expect(saturationPressure(0)).toBeCloseTo(6.11, 2);
  expect(saturationPressure(20)).toBeCloseTo(23.4, 1);
});

test("a site's own elevation moves its climate by the lapse rates of its point, and precipitation by that of the logarithm", () => {
  forAll(100, [point, rise], (at, metres) => {
    const before = featuresOf(at);
    const elevationM = column('elevation', at) + metres;
    const after = featuresOf(at, { elevationM });
    for (const name of ['temperature_min_january', 'dew_point', 'vpd_max'])
      expect(after[name]).toBeCloseTo(before[name] + (column(`lapse_${name}`, at) * metres) / 1000, 4);
    const growth = Math.exp((column('lapse_precipitation_annual', at) * metres) / 1000);
    expect(after.precipitation_annual / (before.precipitation_annual * growth)).toBeCloseTo(1, 5);
    expect(after).toEqual({
      ...before,
      elevation: Math.fround(elevationM),
      ...Object.fromEntries(Object.entries(after).filter(([name]) => `lapse_${name}` in grid.columns)),
    });
  });
});

test('warming moves temperatures by itself, keeps the dew point, and scales the vapor pressure deficit at constant relative humidity', () => {
  forAll(100, [point, rise, warming], (at, metres, degrees) => {
    const elevationM = column('elevation', at) + metres;
    const before = featuresOf(at, { elevationM });
    const after = featuresOf(at, { elevationM, warming: degrees });
    const max = column('temperature_max', at) + (column('lapse_temperature_max', at) * metres) / 1000;
    expect(after.temperature_min_january).toBeCloseTo(before.temperature_min_january + degrees, 4);
    expect(after.dew_point).toBe(before.dew_point);
    expect(after.vpd_max / saturationPressure(max + degrees)).toBeCloseTo(
      before.vpd_max / saturationPressure(max),
      6,
    );
    expect(after.precipitation_annual).toBe(before.precipitation_annual);
  });
});

test('measured conditions replace only their own features, and a scenario moves them too', () => {
  const conditions = {
    elevation: 500,
    vpd_max: 20,
    precipitation_annual: 1000,
    dew_point: 4,
    heat_load: 0.5,
  };
  forAll(100, [point], (at) => {
    const elevationM = column('elevation', at) - 300;
    const own = featuresOf(at, { elevationM });
    expect(featuresOf(at, { elevationM, conditions })).toEqual({ ...own, ...conditions });
    const changed = featuresOf(at, { conditions, warming: 3, precipitationChange: -20 });
    expect(changed).toMatchObject({ elevation: 500, precipitation_annual: 800, heat_load: 0.5 });
    const max = column('temperature_max', at);
    const ratio = saturationPressure(max + 3) / saturationPressure(max);
    expect(changed.vpd_max).toBeCloseTo(20 * ratio, 4);
    expect(changed.dew_point).toBe(4);
  });
});

test('a scenario of no change and the elevation of the matched point change no bit', () => {
  forAll(100, [point, fc.constantFrom(0, -0)], (at, nothing) => {
    const same = { elevationM: column('elevation', at), warming: nothing, precipitationChange: nothing };
    expect(featuresOf(at, same)).toEqual(featuresOf(at));
    expect(featuresOf(at, {})).toEqual(featuresOf(at));
  });
});

test('an extreme scenario is not clamped: precipitation triples, and vapor pressure deficit passes its bounds', () => {
  const { precipitation_annual } = featuresOf(0);
  expect(featuresOf(0, { precipitationChange: 200 }).precipitation_annual).toBe(3 * precipitation_annual);
  expect(featuresOf(0, { conditions: { vpd_max: 50 }, warming: 10 }).vpd_max).toBeGreaterThan(80);
});
