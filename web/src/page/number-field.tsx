import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Typed } from './use-typed-number.js';

interface NumberFieldProps {
  readonly label: string;
  readonly typed: Typed;
  readonly min: number;
  /** The message if the text is wrong. */
  readonly wrong: string;
  readonly placeholder?: string;
  readonly class?: string;
  /** What is shown below the field. */
  readonly children?: ComponentChildren;
}

/**
 * A labelled field of a number as it is typed. What is shown below it describes it. A field of type `number` would drop
 * commas in some browsers (1,20 becomes 120) and change its value as the wheel scrolls the panel.
 */
export function NumberField(props: NumberFieldProps) {
  const { label, typed, min, wrong, placeholder, children } = props;
  const { text, isWrong, onInput } = typed;
  const id = useId();
  return (
    <div class={`number ${props.class ?? ''}`}>
      <label for={id}>{label}</label>
      <input
        id={id}
        inputMode={min < 0 ? 'text' : 'decimal'} // keyboards of decimals may have no minus
        autocomplete="off"
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
