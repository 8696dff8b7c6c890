import { NurselogError } from '@nurselog/client/nurselog-error';
import { number, timeText } from './format.js';

/** Shows why a request failed, in the service's own words if it answered. */
export function ErrorNote({ error, class: name = '' }: { error: Error; class?: string }) {
  return (
    <p class={`error ${name}`} role="alert">
      {errorText(error)}
    </p>
  );
}

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** The message of an error, for people: with times of this place. */
export function errorText(error: Error): string {
  const isUnreachable = error instanceof NurselogError && error.code === 'connection_failed';
  return isUnreachable
    ? 'Not loaded: the service cannot be reached.'
    : error.message.replaceAll(INSTANT, timeText);
}

/** The names of up to ten units, each in its own direction of writing, and how many more there are. */
export const namesOf = (units: readonly { readonly name: string }[]) => [
  ...units.slice(0, 10).flatMap(({ name }, index) => [index > 0 && ', ', <bdi key={name}>{name}</bdi>]),
  units.length > 10 && `, ${number(units.length - 10)} more`,
];
