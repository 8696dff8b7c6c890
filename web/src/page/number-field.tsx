import type { ComponentChildren } from 'preact';
import type { Typed } from './use-typed-number.js';

interface NumberFieldProps {
  readonly label: string;
  readonly typed: Typed;
  readonly min: number;
  readonly max?: number;
  /** The message if the text is wrong. */
  readonly wrong: string;
  readonly placeholder?: string;
  /** What is shown after the field. */
  readonly children?: ComponentChildren;
}

/** A labelled field of a number as it is typed. */
export function NumberField({ label, typed, min, max, wrong, placeholder, children }: NumberFieldProps) {
  const { text, isWrong, onInput } = typed;
  return (
    <label>
      {label}
      <input
        type="number"
        min={min}
        max={max}
        step="any"
        value={text}
        placeholder={placeholder}
        aria-invalid={isWrong}
        onInput={onInput}
      />
      {isWrong && (
        <span class="error" role="alert">
          {wrong}
        </span>
      )}
      {children}
    </label>
  );
}
