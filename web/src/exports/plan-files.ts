import { csvText } from '../files/download.js';
import { METHOD_NAMES } from '../page/format.js';
import { orderLines } from '../plan/plan-rows.js';
import { kmlText } from './kml.js';
import { aboutRow, allRows, bestRows, columnsOf, type ExportRow, type PlanExport } from './plan-export.js';
import type { Sheet } from './xlsx.js';

/** A plan as CSV: all options, then the units without one. */
export function planCsv(plan: PlanExport): string {
  const rows = allRows(plan);
  return csvText(columnsOf(rows), rows);
}

/** All units as GeoJSON, with the properties of their best option, else with the reason why they have none. */
export function planGeoJson(plan: PlanExport): string {
  const features = bestRows(plan).map(({ unit, row }) => ({
    type: 'Feature',
    id: unit.id,
    properties: row,
    geometry: unit.geometry,
  }));
  return JSON.stringify({ type: 'FeatureCollection', about: aboutRow(plan), features }, null, 1);
}

/** All units as KML, with the same data. */
export const planKml = (plan: PlanExport) =>
  kmlText(
    'nurselog plan',
    Object.entries(aboutRow(plan))
      .map(([name, value]) => `${name}: ${value ?? ''}`)
      .join('\n'),
    bestRows(plan).map(({ unit, row }) => ({ name: unit.name, data: row, geometry: unit.geometry })),
  );

/** A plan as a workbook: the best option of each unit with the order, all options, and what the columns mean. */
export async function planXlsx(plan: PlanExport): Promise<BlobPart> {
  const { xlsxFile } = await import('./xlsx.js');
  const best = bestRows(plan).map(({ row }) => row);
  const totals = orderLines(plan.rows).map(
    ({ species, method, total, cost }): ExportRow => ({
      unit: 'All units',
      species,
      planting_method: method,
      order_total: total,
      order_cost: cost ?? null,
    }),
  );
  const { model } = plan;
  const about = {
    ...aboutRow(plan),
    ...(model && {
      alive_manual: `${METHOD_NAMES.manual}: ${model.alive.manual}`,
      alive_drone_seeded: `${METHOD_NAMES.drone_seeded}: ${model.alive.drone_seeded}`,
    }),
    survival: 'Share alive at the horizon, from 0 to 1: mean of the data points of a unit',
    survival_low_high: 'Means of the ends of their 80 % intervals: how sure the figure of a point is',
    survival_p10_p90: 'Percentiles of the survival of the data points: how much it differs within a unit',
    ...(plan.settings.comparesToday && {
      survival_today: "Survival of the same species and method in today's climate",
    }),
    order: 'Trees or pods for the target at the horizon with its reserve, rounded up',
  };
  return xlsxFile([
    sheetOf('Plan', [...best, ...totals]),
    sheetOf('Options', allRows(plan)),
    { name: 'About', rows: Object.entries(about) },
  ]);
}

function sheetOf(name: string, rows: readonly ExportRow[]): Sheet {
  const columns = columnsOf(rows);
  return {
    name,
    rows: [
      columns,
      ...rows.map((row) =>
        columns.map((column) => (Object.hasOwn(row, column) ? (row[column] ?? null) : null)),
      ),
    ],
    hasHeader: true,
  };
}
