import { randomUUID } from 'node:crypto';
import { redactKeys } from '../../accounts/key-format.js';

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own request id where it is one, else a new one. An id is logged: one with a key in it is none. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && ACCEPTED.test(given) && redactKeys(given) === given
    ? given
    : randomUUID();
}
