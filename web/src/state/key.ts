import { signal } from '@preact/signals';

const STORED_AS = 'nurselog-key';
const FORM = /^nurse_live_[0-9a-f]{32}$/;

/** The API key, kept until the browser's session ends; null without one. */
export const key = signal<string | null>(sessionStorage.getItem(STORED_AS));

/** Whether a text has the form of a key. */
export const isKey = (text: string) => FORM.test(text);

/** Takes the key of a link out of the address, before anything else reads or stores the address. */
export function takeKeyFromAddress(): void {
  const fields = new URLSearchParams(location.hash.slice(1));
  const given = fields.get('key')?.trim();
  if (given === undefined) return;
  fields.delete('key');
  history.replaceState(null, '', `${location.pathname}${location.search}#${fields}`);
  if (isKey(given)) keepKey(given);
}

export function keepKey(secret: string): void {
  sessionStorage.setItem(STORED_AS, secret);
  key.value = secret;
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED_AS);
  key.value = null;
}
