import { NurselogError } from '@nurselog/client/nurselog-error';

/** Shows why a request failed, in the service's own words if it answered. */
export function ErrorNote({ error, class: name = '' }: { error: Error; class?: string }) {
  return (
    <p class={`error ${name}`} role="alert">
      {errorText(error)}
    </p>
  );
}

/** The message of an error, for people. */
export function errorText(error: Error): string {
  const isUnreachable = error instanceof NurselogError && error.code === 'connection_failed';
  return isUnreachable ? 'Not loaded: the service cannot be reached.' : error.message;
}
