import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { showBox } from '../map/shown-map.js';
import { counted, number, percent } from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { nameOf } from '../state/catalogues.js';
import { horizon, method, precipitationPercent, species, warmingC } from '../state/choices.js';
import { chosenRow, positionOf, type ScoredPoints, scoredPoints, survivalOf } from '../state/points.js';
import { boxAround } from '../state/units.js';
import { csvText, download } from './download.js';
import { PointRows } from './point-rows.js';
import type { PointTable } from './read-file.js';
import { scorePoints } from './score-points.js';

/** Scores a file of points, with progress; what is answered can be saved, also after it was stopped. */
export function PointsRun({ table, onClose }: { table: PointTable; onClose: () => void }) {
  const scored = scoredPoints.value;
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);
  // Before the points of another file are seen.
  useLayoutEffect(() => {
    showPointsOnMap(null);
    return () => {
      running.current?.abort();
      showPointsOnMap(null);
    };
  }, []);
  const total = table.rows.length;

  const start = () => {
    const controller = new AbortController();
    running.current = controller;
    showPointsOnMap(null);
    showBox(boxAround(table.rows.map(positionOf)));
    setError(null);
    setRunning(true);
    const question = {
      species: species.value,
      method: method.value,
      horizon: horizon.value,
      warmingC: warmingC.value,
      precipitationPercent: precipitationPercent.value,
    };
    const onRows = (columns: readonly string[], rows: readonly Record<string, string>[]) =>
      showPointsOnMap({
        columns,
        rows: [...(scoredPoints.peek()?.rows ?? []), ...rows],
        horizon: question.horizon,
      });
    scorePoints(table, question, onRows, controller.signal)
      .catch((reason: Error) => {
        if (!controller.signal.aborted) setError(reason);
      })
      .finally(() => setRunning(false));
  };
  const rows = scored?.rows ?? [];
  const done = rows.length;
  const failed = rows.filter((row) => row.error_code).length;
  const values =
    scored === null
      ? []
      : rows.map((row) => survivalOf(row, scored.horizon)).filter((value) => value !== null);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return (
    <section class="points">
      <h3>{counted(total, 'point')}</h3>
      <p>
        Rows without a species or method of their own get {nameOf(species.value)} and the method chosen above.
      </p>
      <div class="buttons">
        {isRunning ? (
          <button type="button" onClick={() => running.current?.abort()}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" onClick={start}>
            Score the points
          </button>
        )}
        {scored !== null && !isRunning && (
          <button
            type="button"
            onClick={() => download('points.csv', 'text/csv', csvText(scored.columns, scored.rows))}
          >
            Save {counted(done, 'row')} as CSV
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            running.current?.abort();
            onClose();
          }}
        >
          Close
        </button>
      </div>
      {(isRunning || done > 0) && (
        <>
          <progress max={total} value={done} aria-label="Rows answered" />
          <p role="status">
            {number(done)} of {number(total)} rows answered
            {failed > 0 && `, ${number(failed)} with an error`}
            {values.length > 0 && `; mean survival ${percent(mean)}`}.
            {!isRunning && done < total && error === null && ' Stopped.'}
          </p>
        </>
      )}
      {error !== null && <ErrorNote error={error} />}
      {scored !== null && <PointRows scored={scored} />}
    </section>
  );
}

function showPointsOnMap(scored: ScoredPoints | null): void {
  scoredPoints.value = scored;
  if (scored === null) chosenRow.value = null;
}
