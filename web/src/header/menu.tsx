import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { assumptions, practice, precipitationPercent, warmingC } from '../state/choices.js';

/** Between a menu and the left edge of the page. */
const MARGIN_PX = 16;

/**
 * Options that lie over the page while they are open, so that nothing moves. A click elsewhere, the focus elsewhere and Escape
 * close them.
 */
export function Menu({
  title,
  value,
  children,
}: {
  title: string;
  value: string;
  children: ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      if (event.target instanceof Node && details.current?.contains(event.target)) return;
      if (details.current !== null) details.current.open = false;
    };
    const closeByEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !details.current?.open) return;
      event.stopImmediatePropagation(); // closes no other menu and ends no drawing
      details.current.open = false;
      details.current.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('focusin', close);
    // Captured before the map handles the key, even if the focus has left the menu.
    document.addEventListener('keydown', closeByEscape, { capture: true });
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('focusin', close);
      document.removeEventListener('keydown', closeByEscape, { capture: true });
    };
  }, []);
  return (
    <details ref={details} class={`menu ${title.toLowerCase()}`} onToggle={moveIntoPage}>
      <summary>
        <span class="menu-title">{title}</span> <span class="menu-value">{value}</span>
      </summary>
      <div class="menu-content">{children}</div>
    </details>
  );
}

/** Moves the content of a menu, which ends below the right end of its button, to the right if it begins outside the page. */
function moveIntoPage({ currentTarget }: { currentTarget: HTMLDetailsElement }): void {
  const content = currentTarget.lastElementChild as HTMLElement;
  content.style.translate = '';
  const { left } = content.getBoundingClientRect();
  if (left < MARGIN_PX) content.style.translate = `${MARGIN_PX - left}px`;
}

/** Resets climate and practice to their defaults; disabled rather than hidden, so that the layout stays. */
export function ResetButton() {
  return (
    <button
      type="button"
      aria-label="Reset to today's climate and average practice"
      disabled={Object.keys(assumptions()).length === 0}
      onClick={() => {
        warmingC.value = 0;
        precipitationPercent.value = 0;
        practice.value = {};
      }}
    >
      Reset
    </button>
  );
}
