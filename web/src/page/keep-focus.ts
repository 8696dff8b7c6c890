const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
/** On touch screens a field that gets the focus opens a keyboard. */
const LEFT_ALONE = window.matchMedia('(pointer: coarse)').matches ? 'input, select, textarea' : ':not(*)';

/** Gives the focus of an element that is removed to the nearest one before it: screen readers keep their place. */
export function keepFocus(page: HTMLElement): void {
  let focused: EventTarget | null = null;
  let before: readonly HTMLElement[] = [];
  page.addEventListener('focusin', ({ target }) => {
    focused = target;
    const all = [...page.querySelectorAll<HTMLElement>(FOCUSABLE)];
    before = all.slice(0, Math.max(0, all.indexOf(target as HTMLElement)));
  });
  new MutationObserver(() => {
    if (!(focused instanceof Element) || focused.isConnected || document.activeElement !== document.body)
      return;
    focused = null;
    before.findLast((element) => {
      if (!element.matches(LEFT_ALONE)) element.focus({ preventScroll: true });
      return document.activeElement === element;
    });
  }).observe(page, { childList: true, subtree: true });
}
