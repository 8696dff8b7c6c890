import { signal } from '@preact/signals';

const SIZES = ['low', 'half', 'full'] as const;

/** How much of a narrow screen the panels take, as a sheet from below; the map has the rest. */
export const sheet = signal<(typeof SIZES)[number]>('half');

/** Shows at least half of the sheet, such as for an answer, or leaves at least half to the map, such as to draw. */
export function showHalf(leastOf: 'sheet' | 'map'): void {
  if (sheet.peek() === (leastOf === 'sheet' ? 'low' : 'full')) sheet.value = 'half';
}

/** A swipe shorter than this, in pixels, is a tap. */
const SWIPE_PX = 20;

/** Changes the size of the sheet: a tap to the next size, a swipe up or down to a larger or smaller one. */
export function SheetHandle() {
  let startY = 0;
  const move = (step: number) => {
    sheet.value = SIZES[Math.min(SIZES.length - 1, Math.max(0, SIZES.indexOf(sheet.peek()) + step))];
  };
  return (
    <button
      type="button"
      class="sheet-handle"
      aria-label={sheet.value === 'full' ? 'Show the map' : 'Show more of the panel'}
      onPointerDown={({ clientY, currentTarget, pointerId }) => {
        startY = clientY;
        currentTarget.setPointerCapture(pointerId);
      }}
      onPointerUp={({ clientY }) => {
        if (Math.abs(clientY - startY) >= SWIPE_PX) move(clientY < startY ? 1 : -1);
      }}
      onClick={({ clientY, detail }) => {
        if (detail > 0 && Math.abs(clientY - startY) >= SWIPE_PX) return; // a swipe, which has moved it
        if (sheet.peek() === 'full') sheet.value = 'low';
        else move(1);
      }}
    />
  );
}
