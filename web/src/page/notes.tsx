import { NurselogError } from '@nurselog/client/nurselog-error';

/** Says what went wrong with what was asked, in the service's own words if it answered. */
export function ErrorNote({ error, class: name = '' }: { error: Error; class?: string }) {
  const isUnreachable = error instanceof NurselogError && error.code === 'connection_failed';
  return (
    <p class={`error ${name}`} role="alert">
      {isUnreachable ? 'Not loaded: the service cannot be reached.' : error.message}
    </p>
  );
}
