import type { ServerResponse } from 'node:http';
import type { ApiError } from '../errors/api-error.js';
import { closedWhileWaiting } from '../errors/common-errors.js';

/** Bounds the memory of the bodies of all requests of a kind together, each from the head of its request to the end of its answer. */
export class BodyBudget {
  #takenBytes = 0;

  /** @param full is thrown where too little is left */
  constructor(
    private readonly budgetBytes: number,
    private readonly full: ApiError,
  ) {}

  /** Takes memory for a body until the response to its request is closed; there is always enough for one. @throws ApiError */
  take(bytes: number, response: ServerResponse): void {
    if (response.closed) throw closedWhileWaiting(); // its 'close' would never come
    if (this.#takenBytes > 0 && this.#takenBytes + bytes > this.budgetBytes) throw this.full;
    this.#takenBytes += bytes;
    response.once('close', () => {
      this.#takenBytes -= bytes;
    });
  }
}
