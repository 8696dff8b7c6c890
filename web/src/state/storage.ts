/** A storage of the browser; null where reading it throws: site data is blocked, or the storage is damaged. */
export function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    window[name].getItem('');
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
