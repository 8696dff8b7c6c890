/** Says what went wrong with what was asked, in the service's own words. */
export function ErrorNote({ error, class: name = '' }: { error: Error; class?: string }) {
  return (
    <p class={`error ${name}`} role="alert">
      {error.message}
    </p>
  );
}
