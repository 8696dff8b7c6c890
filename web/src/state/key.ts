import { signal } from '@preact/signals';
import { keepText, storageOf } from './storage.js';

const STORED_AS = 'nurselog-key';
const FORM = /^nurse_live_[0-9a-f]{32}$/;

const storage = storageOf('sessionStorage');

/** The API key, kept until the browser's session ends, or without storage until the page is closed; null without one. */
export const key = signal<string | null>(storage?.getItem(STORED_AS) ?? null);

/** Whether the last text that was given as a key does not have the form of one. */
export const isMalformed = signal(false);

/** Keeps a text as the key if it has the form of one. @returns whether it has */
export function takeKey(text: string): boolean {
  const secret = text.trim();
  isMalformed.value = !FORM.test(secret);
  if (isMalformed.value) return false;
  keepText(storage, STORED_AS, secret);
  key.value = secret;
  return true;
}

/** Takes the key of a link out of the address, before anything else reads or stores the address. */
export function takeKeyFromAddress(): void {
  const fields = new URLSearchParams(location.hash.slice(1));
  const given = fields.get('key');
  if (given === null) return;
  fields.delete('key');
  history.replaceState(null, '', `${location.pathname}${location.search}#${fields}`);
  takeKey(given);
}

export function forgetKey(): void {
  storage?.removeItem(STORED_AS);
  key.value = null;
  isMalformed.value = false;
}
