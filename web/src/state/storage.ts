/** A storage of the browser; null where the browser blocks site data, since reading it throws then. */
export function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[name];
  } catch {
    return null;
  }
}

/** Keeps a text in a storage. Where that is full the text is kept until the page is closed, as without a storage. */
export function keepText(storage: Storage | null, name: string, text: string): void {
  try {
    storage?.setItem(name, text);
  } catch {
    // The page works without it.
  }
}
