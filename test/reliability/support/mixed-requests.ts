import { type Table, tableFromIPC } from 'apache-arrow';
import { expect } from 'vitest';
import { csvOf, readCsv } from '../../http/support/tables.js';
import { collection, unit } from '../../http/support/units.js';
import { rectangle } from '../../prediction/support/outlines.js';
import type { ClientRequest } from '../../support/kept-load.js';
import { amount } from '../../support/length.js';
import { COMPARE_REQUEST, FOREST_SITE, PREDICT_REQUEST, scatteredSites } from '../../support/requests.js';

/** A kind of request, with a check of its complete answer. */
export interface MixedRequest extends ClientRequest {
  readonly name: string;
  /** Reads an answer as text, in which only its version and time may differ. @throws where something is missing */
  readonly read: (body: Buffer) => string;
}

/** How large the requests of a mix are. */
export interface MixedSizes {
  /** Entries of a batch and units of a plan, which the tier of the key must allow. */
  readonly batchSites: number;
  readonly tableRows: number;
  /** Approximate number of points of a surface. */
  readonly surfacePoints: number;
}

/** For keys of tier hypha: tables and surfaces of several runs in the long form. */
export const HYPHA_SIZES: MixedSizes = {
  batchSites: amount({ short: 50, long: 200 }),
  tableRows: amount({ short: 200, long: 2500 }),
  surfacePoints: amount({ short: 300, long: 2000 }),
};

const ARROW = 'application/vnd.apache.arrow.stream';
const SPECIES = ['PSME', 'TSHE', 'PIPO', 'ALRU'];
const METHODS = ['manual', 'drone_seeded'];
const SCENARIO = { warming_c: 2, precipitation_change_percent: -10 };
const CONDITIONS = { soil_water_capacity: 150 };
const ALL_OPTIONS = {
  elevation_m: 700,
  conditions: CONDITIONS,
  scenario: SCENARIO,
  include: ['intervals', 'explanation', 'site'],
};

/** The options of a batch's entries, in turn. */
const ENTRY_OPTIONS = [
  {},
  { scenario: SCENARIO },
  { include: ['intervals'] },
  { conditions: CONDITIONS },
  ALL_OPTIONS,
];

interface Batch {
  readonly results: readonly object[];
  readonly summary: { readonly total: number; readonly successful: number; readonly failed: number };
}

interface Plan {
  readonly units: readonly { readonly options?: readonly unknown[]; readonly error?: unknown }[];
}

/** One request of every kind, with options. */
export function mixedRequests({ batchSites, tableRows, surfacePoints }: MixedSizes): MixedRequest[] {
  const rows = plantings(tableRows);
  const table = csvOf(rows);
  return [
    question('a prediction', '/v1/predict', { ...PREDICT_REQUEST, ...ALL_OPTIONS }, ({ predictions }) => {
      expect(predictions).toHaveLength(3);
    }),
    question(
      'a comparison',
      '/v1/predict/compare',
      { ...COMPARE_REQUEST, include: ['intervals'] },
      (answer) => {
        expect(Object.keys(answer.comparison as object)).toHaveLength(METHODS.length);
      },
    ),
    question(
      'a ranking',
      '/v1/predict/rank',
      { ...FOREST_SITE, species_codes: SPECIES, native_only: false, include: ['explanation', 'site'] },
      ({ ranking }) => expect(ranking).toHaveLength(SPECIES.length * METHODS.length),
    ),
    question(
      'a batch',
      '/v1/predict/batch',
      {
        requests: plantings(batchSites).map((row, i) => ({
          ...row,
          ...ENTRY_OPTIONS[i % ENTRY_OPTIONS.length],
        })),
      },
      (answer) => {
        const { results, summary } = answer as unknown as Batch;
        expect(results).toHaveLength(batchSites);
        expect(summary.successful + summary.failed).toBe(batchSites);
        expect(results.filter((result) => 'error' in result)).toHaveLength(summary.failed);
        expect(summary.successful).toBeGreaterThan(0);
      },
    ),
    question('a plan', '/v1/plan', planOf(Math.min(batchSites, PLAN_UNITS)), (answer) => {
      const { units } = answer as unknown as Plan;
      expect(units).toHaveLength(Math.min(batchSites, PLAN_UNITS));
      // The last unit has no area.
      expect(units.at(-1)).toHaveProperty('error');
      for (const { options } of units.slice(0, -1))
        expect(options).toHaveLength(SPECIES.length * METHODS.length);
    }),
    {
      ...tableRequest('a table in CSV', table, 'text/csv', '?horizons=1,5&include=intervals&warming_c=2'),
      read: (body) => {
        const answered = readCsv(body.toString());
        expect(answered).toHaveLength(tableRows);
        expect(
          answered.every(({ survival_5, error_code }) => (survival_5 === '') !== (error_code === '')),
        ).toBe(true);
        expect(answered.some(({ error_code }) => error_code === '')).toBe(true);
        return body.toString();
      },
    },
    {
      ...tableRequest('a table in Arrow', table, ARROW, ''),
      read: (body) => {
        const answered = tableFromIPC(body);
        expect(answered.numRows).toBe(tableRows);
        return arrowText(answered);
      },
    },
    surfaceRequest('a surface in JSON', 'application/json', surfacePoints, '', (body) => {
      const { points, longitude, survival } = JSON.parse(body.toString()) as Record<string, never>;
      expect(points).toBeGreaterThan(surfacePoints / 8);
      expect(longitude).toHaveLength(points);
      expect(Object.keys(survival)).toEqual(METHODS);
      return body.toString();
    }),
    surfaceRequest('a surface in Arrow', ARROW, surfacePoints, '&warming_c=2', (body) => {
      const answered = tableFromIPC(body);
      expect(answered.numRows).toBeGreaterThan(surfacePoints / 8);
      return arrowText(answered);
    }),
    { name: 'the species', method: 'GET', path: '/v1/species', read: (body) => body.toString() },
  ];
}

/** Units of a plan at most. */
const PLAN_UNITS = 20;

const PLOTS_PER_ROW = 5;
const PLOT_DEGREES = 0.02;

/** Small plots in rows, the last of which is a line. */
function planOf(units: number): object {
  const plots = Array.from({ length: units }, (_, i) => {
    const west = FOREST_SITE.longitude + PLOT_DEGREES * (i % PLOTS_PER_ROW);
    const south = FOREST_SITE.latitude + PLOT_DEGREES * Math.floor(i / PLOTS_PER_ROW);
    const height = i === units - 1 ? 0 : PLOT_DEGREES;
    return unit(i, rectangle(west, south, west + PLOT_DEGREES, south + height));
  });
  return {
    units: collection(...plots),
    species_codes: SPECIES,
    native_only: false,
    costs: { manual: 1.2, drone_seeded: 0.35 },
    scenario: SCENARIO,
  };
}

/** Sites all over both states and around them, some of which cannot be answered. */
function plantings(count: number) {
  return scatteredSites(count).map((site, i) => ({
    ...site,
    species_code: SPECIES[i % SPECIES.length],
    planting_method: METHODS[i % METHODS.length],
  }));
}

/** A request in JSON. @param expectWhole fails where the answer is not complete */
function question(
  name: string,
  path: string,
  body: object,
  expectWhole: (answer: Record<string, unknown>) => void,
): MixedRequest {
  return {
    name,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    read: (bytes) => {
      const text = bytes.toString();
      expectWhole(JSON.parse(text) as Record<string, unknown>);
      return text;
    },
  };
}

function tableRequest(name: string, body: string, accept: string, query: string) {
  const headers = { 'content-type': 'text/csv', accept };
  return { name, method: 'POST', path: `/v1/predict/table${query}`, headers, body } as const;
}

function surfaceRequest(
  name: string,
  accept: string,
  points: number,
  scenario: string,
  read: MixedRequest['read'],
): MixedRequest {
  const path = `/v1/surfaces/PSME?max_points=${points}${scenario}`;
  return { name, method: 'GET', path, headers: { accept }, read };
}

/** Rows and metadata of an Arrow table. */
function arrowText(table: Table): string {
  const metadata = Object.fromEntries(table.schema.metadata);
  return JSON.stringify([metadata, ...table.toArray()]);
}
