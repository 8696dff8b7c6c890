import { useState } from 'preact/hooks';
import { numberIn } from '../state/choices.js';

interface Typed {
  readonly text: string;
  /** Whether there is a text that is no number within the limits. */
  readonly isWrong: boolean;
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void;
}

/**
 * The text of a number field as it is typed, also while it is no number yet, as the 0. of 0.05. A value that the
 * text does not say, as after a reset, replaces the text.
 * @param onValue gets the number, or null for none or one outside the limits
 */
export function useTypedNumber(
  value: number | null,
  { min, max }: { readonly min: number; readonly max: number },
  onValue: (value: number | null) => void,
): Typed {
  const [typed, setTyped] = useState({ text: '', isWrong: false });
  const onInput: Typed['onInput'] = ({ currentTarget: { value: text, validity } }) => {
    const next = numberIn(text, min, max);
    setTyped({ text, isWrong: next === null && (text !== '' || validity.badInput) });
    onValue(next);
  };
  if (numberIn(typed.text, min, max) === value) return { ...typed, onInput };
  return { text: String(value ?? ''), isWrong: false, onInput };
}
