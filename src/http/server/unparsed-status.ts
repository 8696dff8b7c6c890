import type { IncomingMessage } from 'node:http';

/** The statuses that requests got without their `ServerResponse`, because their bodies were rejected. */
const statuses = new WeakMap<IncomingMessage, number>();

/** Remembers the status with which a request was answered on its connection. */
export function noteUnparsedStatus(request: IncomingMessage, status: number): void {
  statuses.set(request, status);
}

/** That status, if such an answer was handed to the system as a whole. */
export function unparsedStatus(request: IncomingMessage): number | undefined {
  return request.socket.writableFinished ? statuses.get(request) : undefined;
}
