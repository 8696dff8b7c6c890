import { useLayoutEffect, useState } from 'preact/hooks';
import { finishDrawing, hasTooFewCorners, startDrawing } from '../drawing/drawing.js';
import { showBox, shownMap } from '../map/shown-map.js';
import { counted } from '../page/format.js';
import { cornersText, type Rings, readCorners, ringsOf, withRings } from '../state/corners.js';
import {
  boxOf,
  changeUnit,
  chosenUnit,
  clearUnits,
  drawing,
  drawnUnit,
  earlierUnits,
  editedUnit,
  removeUnit,
  type Unit,
  undo,
  units,
} from '../state/units.js';

/** Draws units, and changes the chosen one: its name and its corners. */
export function UnitEditor() {
  const shown = units.value;
  useFocusAfter(drawing.value !== null, 'draw');
  useFocusAfter(editedUnit.value !== null, 'edit');
  const chosen = shown.find(({ id }) => id === chosenUnit.value);
  return (
    <>
      {drawing.value === null ? (
        <div class="buttons">
          <button type="button" id="draw" class="primary" onClick={startDrawing}>
            Draw a unit
          </button>
          {earlierUnits.value.length > 0 && (
            <button type="button" onClick={undo}>
              Undo
            </button>
          )}
          {shown.length > 0 && (
            <button type="button" onClick={clearUnits}>
              Remove {shown.length === 1 ? 'the unit' : `all ${counted(shown.length, 'unit')}`}
            </button>
          )}
        </div>
      ) : (
        <DrawnCorners corners={[drawing.value]} />
      )}
      {shown.length > 0 && (
        <div class="field">
          <label for="unit">Change a unit</label>
          <select
            id="unit"
            value={chosenUnit.value ?? ''}
            onChange={({ currentTarget: { value } }) => choose(shown.find(({ id }) => id === value))}
          >
            <option value="">None: show all on the map</option>
            {shown.map(({ id, name }) => (
              <option key={id} value={id} dir="auto">
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
      {chosen !== undefined && drawing.value === null && <ChosenUnit key={chosen.id} unit={chosen} />}
    </>
  );
}

/** Gives the focus to an element when a state ends whose end removes the element that had it. */
function useFocusAfter(isActive: boolean, id: string): void {
  useLayoutEffect(() => {
    if (!isActive) return undefined;
    return () => {
      if (document.activeElement === document.body) document.getElementById(id)?.focus();
    };
  }, [isActive]);
}

/** Chooses a unit, or none, and shows it or all of them on the map. */
function choose(unit: Unit | undefined): void {
  chosenUnit.value = unit?.id ?? null;
  editedUnit.value = null;
  showBox(boxOf(unit === undefined ? units.peek() : [unit]));
}

function DrawnCorners({ corners }: { corners: Rings }) {
  useLayoutEffect(() => {
    // Not on touch screens, where a keyboard would cover the map.
    if (window.matchMedia('(pointer: fine)').matches) document.getElementById('corners')?.focus();
  }, []);
  const isEnough = (corners[0]?.length ?? 0) >= 3;
  return (
    <div class="corners-of-unit">
      <CornerList
        rings={corners}
        onChange={([ring, ...others]) => {
          if (others.length > 0) return 'A drawn unit has one ring: remove the empty line.';
          drawing.value = ring ?? [];
          return '';
        }}
      />
      {/* Never disabled: the list takes its corners when Tab leaves it, and Tab would skip a disabled button. */}
      <button type="button" class="primary" onClick={finishDrawing}>
        Finish the unit
      </button>
      {hasTooFewCorners.value && !isEnough && (
        <p class="error" role="alert">
          A unit needs at least three corners.
        </p>
      )}
    </div>
  );
}

function ChosenUnit({ unit }: { unit: Unit }) {
  const rings = ringsOf(unit.geometry);
  const isEdited = editedUnit.value === unit.id;
  useLayoutEffect(() => {
    if (drawnUnit.peek() !== unit.id) return;
    drawnUnit.value = null;
    const name = document.querySelector<HTMLInputElement>('#unit-name');
    name?.focus();
    name?.select(); // what is typed replaces the name that the page gave
  }, [unit.id]);
  const edit = () => {
    editedUnit.value = isEdited ? null : unit.id;
    if (isEdited) return;
    showBox(boxOf([unit]));
    shownMap.peek()?.getContainer().scrollIntoView({ block: 'nearest' });
  };
  return (
    <div class="corners-of-unit">
      <div class="field">
        <label for="unit-name">Name</label>
        <input
          id="unit-name"
          dir="auto"
          value={unit.name}
          maxLength={120}
          onChange={({ currentTarget: { value } }) =>
            changeUnit(unit.id, { name: value.trim() || unit.name })
          }
        />
      </div>
      <div class="buttons">
        <button type="button" id="edit" aria-pressed={isEdited} disabled={rings === null} onClick={edit}>
          Edit corners
        </button>
        <button type="button" onClick={() => removeUnit(unit.id)}>
          Remove this unit
        </button>
      </div>
      {rings === null && <p class="hint">Its corners are not in degrees and cannot be edited here.</p>}
      {rings !== null && isEdited && (
        <CornerList
          rings={rings}
          onChange={(typed) => {
            if (typed.length !== rings.length)
              return `This unit has ${rings.length} rings (outlines and holes), with an empty line between them.`;
            if (typed.some(({ length }) => length < 3)) return 'A unit needs at least three corners.';
            changeUnit(unit.id, { geometry: withRings(unit.geometry, typed) });
            return '';
          }}
        />
      )}
    </div>
  );
}

interface CornerListProps {
  rings: Rings;
  /** @returns a sentence that says why the corners cannot be used, or nothing */
  onChange: (rings: Rings) => string;
}

/** The corners as text: a way to draw and edit without a pointer, and to paste corners from elsewhere. */
function CornerList({ rings, onChange }: CornerListProps) {
  const text = cornersText(rings);
  const [wrong, setWrong] = useState({ from: '', text: '', message: '' });
  // The corners may change elsewhere, by Undo or on the map.
  const message = wrong.from === text ? wrong.message : '';
  const take = ({ currentTarget: { value } }: { readonly currentTarget: HTMLTextAreaElement }) => {
    const read = readCorners(value);
    setWrong({ from: text, text: value, message: typeof read === 'string' ? read : onChange(read) });
  };
  return (
    <>
      <label for="corners">Corners: latitude, longitude, one per line</label>
      <textarea
        id="corners"
        rows={Math.min(12, Math.max(4, rings.flat().length + 1))}
        spellcheck={false}
        value={message === '' ? text : wrong.text}
        aria-invalid={message !== ''}
        aria-describedby="corners-problem"
        placeholder="44.12, -122.03"
        onChange={take}
      />
      {message !== '' && (
        <p id="corners-problem" class="error" role="alert">
          {message}
        </p>
      )}
    </>
  );
}
