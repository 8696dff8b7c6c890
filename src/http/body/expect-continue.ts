import type { IncomingMessage, ServerResponse } from 'node:http';

/** The responses to requests whose callers wait for `100 Continue` before they send the body. */
const awaited = new WeakMap<IncomingMessage, ServerResponse>();

/** Marks a request whose caller waits. */
export function expectContinue(request: IncomingMessage, response: ServerResponse): void {
  awaited.set(request, response);
}

/** Whether the caller still waits, and has not sent the body. */
export function isAwaitingContinue(request: IncomingMessage): boolean {
  return awaited.has(request);
}

/** Has the caller send the body, if it waits: called when the body is about to be read. */
export function sendContinue({ raw }: { readonly raw: IncomingMessage }): void {
  awaited.get(raw)?.writeContinue();
  awaited.delete(raw);
}
