import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Typed } from './use-typed-number.js';

interface NumberFieldProps {
  readonly label: string;
  readonly typed: Typed;
  readonly min: number;
  readonly max?: number;
  /** The message if the text is wrong. */
  readonly wrong: string;
  readonly placeholder?: string;
  readonly class?: string;
  /** What is shown below the field. */
  readonly children?: ComponentChildren;
}

/** A labelled field of a number as it is typed. What is shown below it describes it. */
export function NumberField(props: NumberFieldProps) {
  const { label, typed, min, max, wrong, placeholder, children } = props;
  const { text, isWrong, onInput } = typed;
  const id = useId();
  return (
    <div class={`number ${props.class ?? ''}`}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={min}
        max={max}
        step="any"
        value={text}
        placeholder={placeholder}
        aria-invalid={isWrong}
        aria-describedby={`${id}-note`}
        onInput={onInput}
      />
      <div id={`${id}-note`}>
        {isWrong && (
          <p class="error" role="alert">
            {wrong}
          </p>
        )}
        {children}
      </div>
    </div>
  );
}
