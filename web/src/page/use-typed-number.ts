import { useState } from 'preact/hooks';
import { numberIn } from '../state/choices.js';
import type { Measure } from './format.js';

/** Digits of a value that was converted and not typed, which has many. */
const CONVERTED_DIGITS = 5;
const MANY_DECIMALS = /\.\d{7}/;

interface Limits {
  readonly min: number;
  readonly max: number;
  /** Whether the value stays while the text is empty or wrong. */
  readonly isNeeded?: boolean;
}

export interface Typed {
  readonly text: string;
  /** Whether there is a text that is not a number within the limits. */
  readonly isWrong: boolean;
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void;
}

const THOUSANDS = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/** A typed number as `Number` reads it: commas separate thousands as the page writes them, or one is a decimal comma. */
function plainNumber(text: string): string {
  const bare = text.replaceAll(/[\s$%]/g, '');
  return THOUSANDS.test(bare) ? bare.replaceAll(',', '') : bare.replace(',', '.');
}

/**
 * Keeps the text of a number field as it is typed, even while it is not yet a number, such as the 0. of 0.05. A value
 * that was changed otherwise, such as by a reset, replaces the text.
 * @param value in the unit of the interface, as are the limits
 * @param onValue gets the number, or null for none or one outside the limits
 * @param measure the unit in which the number is typed, if it is not that of the interface
 */
export function useTypedNumber(
  value: number | null,
  { min, max, isNeeded = false }: Limits,
  onValue: (value: number | null) => void,
  measure?: Measure,
): Typed {
  const [typed, setTyped] = useState({ text: '', isWrong: false, value });
  const read = (text: string) => {
    const number = numberIn(plainNumber(text), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    return number === null ? null : numberIn(String(measure?.toMetric(number) ?? number), min, max);
  };
  const onInput: Typed['onInput'] = ({ currentTarget: { value: text } }) => {
    const next = read(text);
    setTyped({ text, isWrong: next === null && (isNeeded || text !== ''), value });
    if (next !== null || !isNeeded) onValue(next);
  };
  const isLeft = isNeeded && typed.isWrong && typed.value === value;
  if (isLeft || read(typed.text) === value) return { text: typed.text, isWrong: typed.isWrong, onInput };
  const shown = value === null ? '' : (measure?.fromMetric(value) ?? value);
  const isTyped = shown === '' || (shown === value && !MANY_DECIMALS.test(String(shown)));
  const text = String(isTyped ? shown : Number(shown.toPrecision(CONVERTED_DIGITS)));
  return { text, isWrong: false, onInput };
}
