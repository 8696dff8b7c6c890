import { useState } from 'preact/hooks';
import { FileDrop, readOne } from '../files/file-drop.js';
import type { FileContent } from '../files/read-file.js';
import { showBox } from '../map/shown-map.js';
import { counted } from '../page/format.js';
import { PlannedUnits } from '../plan/planned-units.js';
import { mayDiscardRows } from '../points/may-discard-rows.js';
import { PointsRun } from '../points/points-run.js';
import { panel } from '../state/choices.js';
import { markSaved } from '../state/keep-work.js';
import { pointTable, takePoints } from '../state/points.js';
import { addUnits, boxOf, units } from '../state/units.js';
import { takeWork, work } from '../state/work.js';
import { mayDiscardWork } from './may-discard-work.js';
import { UnitEditor } from './unit-editor.js';
import { WorkBar } from './work-bar.js';

/** Planting units: drawn or from files, planned by species, method and cost. Nothing is planned while it is hidden. */
export function UnitsPanel() {
  const points = pointTable.value;
  // What became of the last file: a note, or why it cannot be used.
  const [result, setResult] = useState<string | Error>('');
  const open = async (files: FileList | null | undefined) => {
    try {
      const content = await readOne(files);
      setResult(content === null ? '' : take(content));
    } catch (reason) {
      setResult(reason as Error);
    }
  };
  return (
    <>
      <div class="no-print">
        <h2>Planting units</h2>
        <p class="hint">
          Draw units on the map, type their corners, or drop a file of polygons (units) or points (sites).
        </p>
        <UnitEditor />
        <FileDrop error={result instanceof Error ? result : null} onFiles={open} />
        {typeof result === 'string' && result !== '' && <p role="status">{result}</p>}
        <WorkBar onOpen={open} onClear={() => setResult('')} />
        {/* A new key for each file, which starts a new run. */}
        {points !== null && <PointsRun key={points} table={points} />}
      </div>
      {panel.value === 'units' && units.value.length > 0 && <PlannedUnits />}
    </>
  );
}

/** Takes what a file holds. @returns what a planner should know of it */
function take({ polygons, points, ignored, notes = [], project }: FileContent): string {
  if (project !== undefined) {
    if (!mayDiscardWork()) return 'Not opened: the work on the page stays.';
    takeWork(project, true);
    markSaved(work.peek());
    panel.value = 'units';
    showBox(boxOf(units.peek()));
    return `Opened: a project with ${counted(project.units.length, 'unit')}.`;
  }
  const known = addUnits(polygons);
  const keepsRows = points !== null && !mayDiscardRows();
  if (points !== null && !keepsRows) takePoints(points);
  if (polygons.length > 0) showBox(boxOf(units.peek()));
  return [
    ignored > 0 ? `Neither polygons nor points, and left out: ${counted(ignored, 'feature')}.` : '',
    keepsRows ? `Left out, so that the answered rows stay: ${counted(points.rows.length, 'point')}.` : '',
    known > 0 ? `Here already, and not added again: ${counted(known, 'unit')}.` : '',
    ...notes,
  ]
    .join(' ')
    .trim();
}
