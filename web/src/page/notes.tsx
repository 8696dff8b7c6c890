import { NurselogError } from '@nurselog/client/nurselog-error';

/** Says what went wrong with what was asked, in the service's own words if it answered. */
export function ErrorNote({ error, class: name = '' }: { error: Error; class?: string }) {
  return (
    <p class={`error ${name}`} role="alert">
      {errorText(error)}
    </p>
  );
}

/** What an error is to people. */
export function errorText(error: Error): string {
  const isUnreachable = error instanceof NurselogError && error.code === 'connection_failed';
  return isUnreachable ? 'Not loaded: the service cannot be reached.' : error.message;
}
