/** A storage of the browser; null where the browser blocks site data, since reading it throws then. */
export function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[name];
  } catch {
    return null;
  }
}
