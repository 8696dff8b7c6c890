import { useEffect, useRef, useState } from 'preact/hooks';
import { number, percent } from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { nameOf, usage } from '../state/catalogues.js';
import { horizon, method, precipitationPercent, species, warmingC } from '../state/choices.js';
import { csvText, download } from './download.js';
import type { PointTable } from './read-file.js';
import { scorePoints } from './score-points.js';

interface Scored {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** Scores a file of points, with progress; what is answered can be saved, also after it was stopped. */
export function PointsRun({ table, onClose }: { table: PointTable; onClose: () => void }) {
  const [scored, setScored] = useState<Scored>({ columns: [], rows: [] });
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const total = table.rows.length;
  const years = horizon.value;

  const start = () => {
    const controller = new AbortController();
    running.current = controller;
    setScored({ columns: [], rows: [] });
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
      setScored((before) => ({ columns, rows: [...before.rows, ...rows] }));
    scorePoints(table, question, usage.value?.tier ?? '', onRows, controller.signal)
      .catch((reason: Error) => {
        if (!controller.signal.aborted) setError(reason);
      })
      .finally(() => setRunning(false));
  };
  const done = scored.rows.length;
  const failed = scored.rows.filter((row) => row.error_code).length;
  const values = scored.rows
    .map((row) => row[`survival_${years}`])
    .filter(Boolean)
    .map(Number);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return (
    <section class="points">
      <h3>{number(total)} points</h3>
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
        {done > 0 && !isRunning && (
          <button
            type="button"
            onClick={() => download('points.csv', 'text/csv', csvText(scored.columns, scored.rows))}
          >
            Save {number(done)} rows as CSV
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
    </section>
  );
}
