import { useState } from 'preact/hooks';
import { download } from '../files/download.js';
import { projectFile } from '../files/project-file.js';
import { dateText } from '../page/format.js';
import { ErrorNote } from '../page/notes.js';
import {
  clearWork,
  isChangedElsewhere,
  isKeeping,
  keepError,
  keepNotice,
  keepWork,
  markSaved,
  takeOver,
} from '../state/keep-work.js';
import { pointTable } from '../state/points.js';
import { units } from '../state/units.js';
import { work } from '../state/work.js';
import { mayDiscardWork } from './may-discard-work.js';

interface WorkBarProps {
  onOpen: (files: FileList | null) => void;
  onClear: () => void;
}

/** Whether work is kept in the browser, and buttons to save, open and clear it. */
export function WorkBar({ onOpen, onClear }: WorkBarProps) {
  const isEmpty = units.value.length === 0 && pointTable.value === null;
  const [error, setError] = useState<Error | null>(null);
  const save = () => {
    const saved = work.peek();
    try {
      download(`nurselog-project-${dateText()}.geojson`, projectFile(saved));
      markSaved(saved);
      setError(null);
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <section class="work" aria-label="Your work">
      <div class="buttons">
        <button type="button" disabled={isEmpty} onClick={save}>
          Save project
        </button>
        <label class="button">
          Open project
          <input
            type="file"
            class="for-readers"
            accept=".geojson,.json"
            onChange={({ currentTarget }) => {
              onOpen(currentTarget.files);
              currentTarget.value = '';
            }}
          />
        </label>
        <button
          type="button"
          onClick={() => {
            if (
              !window.confirm('Remove all units, points, costs and targets from this page and this browser?')
            )
              return;
            clearWork();
            setError(null);
            onClear();
          }}
        >
          Clear
        </button>
      </div>
      {error !== null && <ErrorNote error={error} />}
      <label class="check">
        <input
          type="checkbox"
          checked={isKeeping.value}
          onChange={({ currentTarget }) => keepWork(currentTarget.checked)}
        />
        Keep my work in this browser
      </label>
      {isKeeping.value && keepError.value !== null && (
        <p class="flag" role="status">
          This browser does not keep your work ({keepError.value}). Save it as a project before you leave.
        </p>
      )}
      {isKeeping.value && keepNotice.value !== null && (
        <p class="flag" role="status">
          {keepNotice.value}
        </p>
      )}
      {isChangedElsewhere.value && (
        <p class="flag" role="status">
          The work was changed in another tab.{' '}
          <button type="button" onClick={() => mayDiscardWork() && takeOver()}>
            Take it over
          </button>
        </p>
      )}
    </section>
  );
}
