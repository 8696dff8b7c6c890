import type { ComponentChildren } from 'preact';
import { isRemovable, ringsOf } from '../state/corners.js';
import { drawing, earlierUnits, editedUnit, undo, units } from '../state/units.js';
import { chosenCorner, hasHiddenCorners, removeChosenCorner } from './corner-handles.js';
import { cancelDrawing, finishDrawing, removeLastCorner } from './drawing.js';

/** A bar over the map while a unit is drawn or edited: a hint, and buttons for what has no gesture of the pointer. */
export function EditBar() {
  const corners = drawing.value;
  if (corners !== null)
    return (
      <Bar hint={`Click each corner (${corners.length} so far), then the first one again.`}>
        <button type="button" disabled={corners.length === 0} onClick={removeLastCorner}>
          Remove the last
        </button>
        <button type="button" onClick={cancelDrawing}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={corners.length < 3} onClick={finishDrawing}>
          Finish
        </button>
      </Bar>
    );
  const unit = units.value.find(({ id }) => id === editedUnit.value);
  if (unit === undefined) return null;
  const at = chosenCorner.value;
  return (
    <Bar
      hint={
        hasHiddenCorners.value ? (
          'Zoom in to see all corners and to move them.'
        ) : (
          <>
            <bdi>{unit.name}</bdi>: drag a corner to move it, a dot between corners to add one.
          </>
        )
      }
    >
      <button
        type="button"
        disabled={at === null || !isRemovable(ringsOf(unit.geometry), at)}
        onClick={removeChosenCorner}
      >
        Remove corner
      </button>
      <button type="button" disabled={earlierUnits.value.length === 0} onClick={undo}>
        Undo
      </button>
      <button
        type="button"
        class="primary"
        onClick={() => {
          editedUnit.value = null;
        }}
      >
        Done
      </button>
    </Bar>
  );
}

function Bar({ hint, children }: { hint: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="edit-bar" aria-label="Drawing">
      <p role="status">{hint}</p>
      <div>{children}</div>
    </section>
  );
}
