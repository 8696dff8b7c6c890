import { effect, signal } from '@preact/signals';
import { clear, createStore, getMany, setMany, type UseStore } from 'idb-keyval';
import { keepText, storageOf } from './storage.js';
import { drawing, earlierUnits } from './units.js';
import { EMPTY_WORK, readWork, takeWork, type Work, work } from './work.js';

/** Work is kept in IndexedDB, which only this origin can read, part by part. The API key is not part of it. */
const PARTS = ['version', 'choices', 'settings', 'units', 'points', 'scored'] as const;
/** Parts that a planner would miss. */
const CONTENT = ['settings', 'units', 'points', 'scored'] as const;
const SWITCH = 'nurselog-keep';
/** The message to other tabs when the kept work was removed. */
const FORGOTTEN = 'forgotten';
/** If reading takes longer, work is not kept. */
const MAX_READ_MS = 3000;

const storage = storageOf('localStorage');

/** Whether work is to survive a reload. The switch itself is kept. */
export const isKeeping = signal(storage?.getItem(SWITCH) !== 'off');
/** Why work is not kept although it should be; null while it is. */
export const keepError = signal<string | null>(null);
/** A notice about kept work that could not be read; null for none. */
export const keepNotice = signal<string | null>(null);
/** Whether another tab has kept other work since this one read or kept its own. */
export const isChangedElsewhere = signal(false);

let store: UseStore | undefined;
/** The content of the store; undefined while it is empty or unknown. */
let kept: Work | undefined;
/** The work that closing the page would not lose: that of the store, or of the last project. */
let safe = EMPTY_WORK;
let otherTabs: BroadcastChannel | undefined;
/** The work of this tab when another one kept its own. */
let before = EMPTY_WORK;

/** Whether a change would be lost if the page were closed now. */
function hasUnsavedWork(): boolean {
  const now = work.peek();
  return drawing.peek() !== null || (hasContent(now) && hasOtherContent(now, safe));
}

const hasContent = ({ units, points }: Work) => units.length > 0 || points !== null;

const hasOtherContent = (a: Work, b: Work | undefined) => CONTENT.some((part) => a[part] !== b?.[part]);

/** Records that the work was saved to a file. */
export function markSaved(saved: Work): void {
  safe = saved;
}

/**
 * Takes the work of the last visit, then keeps each change.
 * @param hasChoices whether the address has choices, which take precedence over the kept ones
 */
export async function startKeeping(hasChoices: boolean): Promise<void> {
  window.addEventListener('beforeunload', (event) => {
    (document.activeElement as HTMLElement | null)?.blur(); // takes what is being typed, such as corners
    if (hasUnsavedWork()) event.preventDefault(); // the browser asks
  });
  try {
    store = createStore('nurselog', 'work');
    if (isKeeping.peek()) await restore(!hasChoices);
    earlierUnits.value = []; // Undo must not remove the restored units
  } catch (error) {
    store = undefined;
    keepError.value = (error as Error).message;
    return;
  }
  otherTabs = new BroadcastChannel('nurselog-work');
  otherTabs.onmessage = ({ data }) => {
    if (isKeeping.peek()) inTurn(async () => setChangedElsewhere());
    else if (data === FORGOTTEN) inTurn(async () => forgetKept());
  };
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key !== SWITCH) return;
    const isOn = newValue !== 'off';
    if (isOn) setChangedElsewhere();
    else isChangedElsewhere.value = false;
    isKeeping.value = isOn;
  });
  effect(() => {
    void work.value;
    if (isKeeping.value) inTurn(keep);
  });
}

/** Another tab has replaced the content of the store, so that the next write of this tab must have all parts. */
function setChangedElsewhere(): void {
  if (!isChangedElsewhere.peek()) before = kept ?? work.peek();
  isChangedElsewhere.value = true;
  forgetKept();
}

function forgetKept(): void {
  if (safe === kept) safe = EMPTY_WORK;
  kept = undefined;
}

/** Takes what the store has instead of the work of this tab. @returns whether it has anything */
async function restore(takesChoices: boolean): Promise<boolean> {
  // Before `late`, whose rejection would be unhandled if this throws.
  const reading = getMany<unknown>([...PARTS], store);
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('its storage does not answer')), MAX_READ_MS);
  });
  const values = await Promise.race([reading, late]);
  const found = readWork(Object.fromEntries(PARTS.map((part, index) => [part, values[index]])));
  if (values.every((value) => value === undefined)) return false;
  if (typeof found === 'string') {
    kept = undefined; // so that the next write has all parts
    keepNotice.value = `The work that this browser keeps cannot be read (${found}). It stays until you add units or points.`;
    return true;
  }
  takeWork(found, takesChoices);
  kept = work.peek();
  safe = kept;
  keepNotice.value = null;
  isChangedElsewhere.value = false;
  return true;
}

/** Takes what another tab has kept. */
export const takeOver = () =>
  inTurn(async () => {
    if (await restore(false)) return;
    keepNotice.value =
      'Nothing is kept in this browser any more. Your next change keeps the work of this tab.';
    isChangedElsewhere.value = false;
  });

let turn: Promise<unknown> = Promise.resolve();
const inTurn = (job: () => Promise<void>) => {
  turn = turn.then(job).catch((error: Error) => {
    keepError.value = error.message;
  });
  return turn;
};

/** Writes the parts that have changed since the last write, which may have been in an earlier turn. */
async function keep(): Promise<void> {
  const now = work.peek();
  if (!isKeeping.peek() || now === kept) return;
  // The other tab's work stays until content changes here; a change of the map or the panel does not replace it.
  if (isChangedElsewhere.peek() && !hasOtherContent(now, before)) return;
  // What cannot be read stays until there is something else to keep.
  if (keepNotice.peek() !== null && !hasContent(now)) return;
  const changed = PARTS.filter((part) => now[part] !== kept?.[part]);
  await setMany(
    changed.map((part) => [part, now[part]]),
    store,
  );
  if (hasOtherContent(now, kept)) otherTabs?.postMessage(null);
  kept = now;
  safe = now;
  keepError.value = null;
  keepNotice.value = null;
  isChangedElsewhere.value = false;
}

/** Turns keeping on or off. Off, what was kept is removed. */
export async function keepWork(isOn: boolean): Promise<void> {
  keepText(storage, SWITCH, isOn ? 'on' : 'off');
  isKeeping.value = isOn;
  if (!isOn) await forget();
}

/** Removes units, points, costs and settings from the page and from the browser. */
export async function clearWork(): Promise<void> {
  takeWork(EMPTY_WORK, false);
  await forget();
}

const forget = () =>
  inTurn(async () => {
    if (store !== undefined) await clear(store);
    kept = undefined;
    safe = EMPTY_WORK;
    keepNotice.value = null;
    isChangedElsewhere.value = false;
    otherTabs?.postMessage(FORGOTTEN);
  });
