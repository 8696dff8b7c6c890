import type { ServerResponse } from 'node:http';

/**
 * Whether all of a response that has closed was handed to the system. `writableFinished` alone is also true of a response
 * that had ended when its connection was destroyed, whatever was still to be sent.
 */
export function isSent(response: ServerResponse): boolean {
  return response.writableFinished && !response.req.socket.destroyed;
}
