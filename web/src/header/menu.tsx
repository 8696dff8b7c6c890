import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { assumptions, practice, precipitationPercent, warmingC } from '../state/choices.js';

/** Options that lie over the page while they are open, so that nothing moves. A click elsewhere or Escape closes them. */
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
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, []);
  return (
    <details
      ref={details}
      class={`menu ${title.toLowerCase()}`}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape' || !currentTarget.open) return;
        currentTarget.open = false;
        currentTarget.querySelector('summary')?.focus();
      }}
    >
      <summary>
        <span class="menu-title">{title}</span> <span class="menu-value">{value}</span>
      </summary>
      <div class="menu-content">{children}</div>
    </details>
  );
}

/** Back to what is assumed without any choice; disabled rather than absent, so that nothing moves. */
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
