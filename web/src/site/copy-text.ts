/** Puts a text on the clipboard. @returns whether the browser allowed it */
export async function copyText(text: string): Promise<boolean> {
  // Browsers have no navigator.clipboard for plain HTTP from another machine.
  if (!window.isSecureContext) return copySelected(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** Copies by the older command, which takes what is selected; the focus goes back to where it was. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.focus({ preventScroll: true });
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
