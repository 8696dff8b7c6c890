import { useEffect, useRef, useState } from 'preact/hooks';
import { batchSize } from '../api/batch-size.js';
import { download } from '../files/download.js';
import { showBox } from '../map/shown-map.js';
import { assumptionsText, counted, dateText, METHOD_NAMES, number, percent, years } from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import { servedOrigin, speciesName, useUsage } from '../state/catalogues.js';
import { assumptions, horizon, method, species } from '../state/choices.js';
import {
  clearScored,
  type PointsQuestion,
  type PointTable,
  pointTable,
  positionOf,
  type Row,
  scoredPoints,
  survivalOf,
  takePoints,
} from '../state/points.js';
import { boxAround } from '../state/units.js';
import { mayDiscardRows } from './may-discard-rows.js';
import { PointRows } from './point-rows.js';
import { pointsCsv } from './points-csv.js';
import { scorePoints } from './score-points.js';

/** Scores a file of points, with progress. The answered rows can be saved, even after a stop. */
export function PointsRun({ table }: { table: PointTable }) {
  const scored = scoredPoints.value;
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const left = useUsage(isRunning)?.remaining ?? Number.POSITIVE_INFINITY;
  const total = table.rows.length;

  const run = (question: PointsQuestion, from: number) => {
    const controller = new AbortController();
    running.current = controller;
    setError(null);
    setRunning(true);
    const onRows = (columns: readonly string[], rows: readonly Row[]) => {
      if (pointTable.peek() !== table) return; // another file was taken
      scoredPoints.value = { columns, rows: [...(scoredPoints.peek()?.rows ?? []), ...rows], question };
    };
    scorePoints(table, question, from, onRows, controller.signal)
      .catch((reason: Error) => {
        if (!controller.signal.aborted) setError(reason);
      })
      .finally(() => setRunning(false));
  };
  const start = () => {
    if (!mayDiscardRows()) return;
    clearScored();
    showBox(boxAround(table.rows.map(positionOf)));
    run(questionNow(table), 0);
  };
  const rows = scored?.rows ?? [];
  const done = rows.length;
  const failed = rows.filter((row) => row.error_code).length;
  const values =
    scored === null
      ? []
      : rows.map((row) => survivalOf(row, scored.question.horizon)).filter((value) => value !== null);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const changed = scored === null ? [] : changesBetween(scored.question, questionNow(table));
  const toScore = changed.length === 0 ? total - done : total;
  const requests = Math.ceil(toScore / batchSize());
  return (
    <section class="points">
      <h3>{counted(total, 'point')}</h3>
      <p>
        Rows without a species or method of their own get {speciesName(species.value)} and the method chosen
        above.
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
        {scored !== null && !isRunning && done < total && changed.length === 0 && (
          <button type="button" onClick={() => run(scored.question, done)}>
            Continue with the other {counted(total - done, 'row')}
          </button>
        )}
        {scored !== null && !isRunning && (
          <button
            type="button"
            onClick={() => download('points.csv', new Blob([pointsCsv(scored)], { type: 'text/csv' }))}
          >
            Save {counted(done, 'row')} as CSV
          </button>
        )}
        <button type="button" onClick={() => mayDiscardRows() && takePoints(null)}>
          Close
        </button>
      </div>
      {(isRunning || done > 0) && (
        <>
          <progress max={total} value={done} aria-label="Rows answered" />
          <p role="status">
            {number(done)} of {number(total)} rows answered
            {failed > 0 && `, ${number(failed)} with an error`}
            {values.length > 0 && `; mean survival ${percent(mean)}`}
            {scored !== null && `, for ${questionText(scored.question)}`}.
            {!isRunning && done < total && error === null && ' Stopped.'}
          </p>
        </>
      )}
      {changed.length > 0 && (
        <p class="flag">Changed since then: {changed.join(', ')}. Score the points again to apply this.</p>
      )}
      {!isRunning && requests > left && (
        <p class="flag">
          Scoring {counted(toScore, 'row')} takes {counted(requests, 'request')}; the key has {number(left)}{' '}
          left today.
        </p>
      )}
      {error !== null && <ErrorNote error={error} />}
      {scored !== null && <PointRows scored={scored} />}
    </section>
  );
}

/** What the controls ask for, as far as it matters to the rows. */
const questionNow = ({ rows }: PointTable): PointsQuestion => ({
  species: rows.every((row) => row.species_code) ? null : species.value,
  method: rows.every((row) => row.planting_method) ? null : method.value,
  horizon: horizon.value,
  // Without practice that every row states itself.
  assumed: Object.fromEntries(
    Object.entries(assumptions()).filter(
      ([name]) => CLIMATE.includes(name) || !rows.every((row) => row[name]),
    ),
  ),
  date: dateText(),
  model: servedOrigin(),
});

const questionText = (question: PointsQuestion) =>
  [
    question.species === null ? "each row's species" : speciesName(question.species),
    question.method === null ? "each row's method" : METHOD_NAMES[question.method].toLowerCase(),
    `after ${years(question.horizon)}`,
    assumptionsText(question.assumed),
  ].join(', ');

/** The assumptions about the climate; others are about practice. */
const CLIMATE = ['warming_c', 'precipitation_change_percent'];

/** What differs between two questions, in words. */
function changesBetween(before: PointsQuestion, now: PointsQuestion): string[] {
  const changed = [...new Set([...Object.keys(before.assumed), ...Object.keys(now.assumed)])].filter(
    (name) => before.assumed[name] !== now.assumed[name],
  );
  return [
    ...(before.species === now.species ? [] : ['another species']),
    ...(before.method === now.method ? [] : ['another method']),
    ...(before.horizon === now.horizon ? [] : ['another year']),
    ...(changed.some((name) => CLIMATE.includes(name)) ? ['another climate'] : []),
    ...(changed.some((name) => !CLIMATE.includes(name)) ? ['another practice'] : []),
    // Models are known only once the catalogues are loaded.
    ...(before.model && now.model && before.model.digest !== now.model.digest
      ? ['other models of the service']
      : []),
  ];
}
