import { useState } from 'preact/hooks';
import { download } from '../files/download.js';
import { ErrorNote } from '../page/notes.js';
import { fileName, type PlanExport } from './plan-export.js';
import { planCsv, planGeoJson, planKml, planXlsx } from './plan-files.js';

interface Format {
  readonly name: string;
  readonly extension: string;
  readonly type: string;
  content(plan: PlanExport): string | Promise<BlobPart>;
}

const FORMATS: readonly Format[] = [
  { name: 'CSV', extension: 'csv', type: 'text/csv', content: planCsv },
  {
    name: 'XLSX',
    extension: 'xlsx',
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    content: planXlsx,
  },
  { name: 'KML', extension: 'kml', type: 'application/vnd.google-earth.kml+xml', content: planKml },
  { name: 'GeoJSON', extension: 'geojson', type: 'application/geo+json', content: planGeoJson },
];

/** Saves the plan in a format of the planner's choice; the units alone where there is no plan yet. */
export function ExportButtons({ plan, isDisabled }: { plan: PlanExport; isDisabled: boolean }) {
  const [error, setError] = useState<Error | null>(null);
  const save = async ({ extension, type, content }: Format) => {
    try {
      download(fileName(plan, extension), new Blob([await content(plan)], { type }));
      setError(null);
    } catch (reason) {
      setError(reason as Error); // such as of a part of the page that cannot be loaded
    }
  };
  return (
    <>
      {FORMATS.map((format) => (
        <button key={format.name} type="button" disabled={isDisabled} onClick={() => save(format)}>
          Export {format.name}
        </button>
      ))}
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}
