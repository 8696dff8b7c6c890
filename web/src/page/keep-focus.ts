/** On touch screens a field that gets the focus opens a keyboard. */
const FIELDS = window.matchMedia('(pointer: coarse)').matches ? '' : ', input, select, textarea';
const FOCUSABLE = `a[href], button, summary, [tabindex="0"]${FIELDS}`;

/** Gives the focus of an element that is removed to the nearest one before it: screen readers keep their place. */
export function keepFocus(page: HTMLElement): void {
  let focused: EventTarget | null = null;
  let before: readonly HTMLElement[] = [];
  page.addEventListener('focusin', ({ target }) => {
    focused = target;
    const isBefore = (element: HTMLElement) =>
      (element.compareDocumentPosition(target as Node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    before = [...page.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(isBefore);
  });
  new MutationObserver(() => {
    if (!(focused instanceof Element) || focused.isConnected || document.activeElement !== document.body)
      return;
    focused = null;
    before.findLast((element) => {
      element.focus({ preventScroll: true });
      return document.activeElement === element;
    });
  }).observe(page, { childList: true, subtree: true });
}
