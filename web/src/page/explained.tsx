import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A question about a term; the answer opens on a click. */
export function Explained({ question, children }: { question: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <p class="small no-print">
      <button type="button" class="link" popovertarget={id}>
        {question}
      </button>
      <span id={id} popover="auto" class="explanation">
        {children}
      </span>
    </p>
  );
}

/** The range in which most plantings are expected. */
export function EightOfTen() {
  return (
    <Explained question="What is 8 of 10?">
      In 8 of 10 plantings at such a site the share of trees alive is expected to lie between the two figures;
      in 1 of 10 it is lower, in 1 of 10 higher. The range includes errors of the data and differences between
      years, crews and stock. Fewer than 8 of 10 real plantings lie in it: see About the figures.
    </Explained>
  );
}
