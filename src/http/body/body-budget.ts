import type { ServerResponse } from 'node:http';
import type { ApiError } from '../../prediction/errors/api-error.js';
import { closedWhileWaiting } from '../errors/common-errors.js';

/**
 * Bounds the memory of the bodies of all requests of a kind together, each from the head of its request to the end of its
 * answer. A key that has memory gets more as long as that much again stays free: alone it gets half of all, beside another
 * key a third. So no key can lock out the others by reading slowly. This is the dynamic threshold of Choudhury and Hahne
 * (IEEE/ACM Transactions on Networking 6, 1998) with a factor of 1.
 */
export class BodyBudget {
  #takenBytes = 0;
  readonly #takenByKey = new Map<string, number>();

  /** @param full is thrown where too little is left */
  constructor(
    private readonly budgetBytes: number,
    private readonly full: ApiError,
  ) {}

  /**
   * Takes memory for a body of a key until the response to its request is closed. The first of a key may take all that is
   * free, and there is always enough for one.
   * @throws ApiError
   */
  take(bytes: number, keyId: string, response: ServerResponse): void {
    if (response.closed) throw closedWhileWaiting(); // its 'close' would never come
    const ofKey = this.#takenByKey.get(keyId) ?? 0;
    const freeAfter = this.budgetBytes - this.#takenBytes - bytes;
    const isFitting = ofKey === 0 ? freeAfter >= 0 : freeAfter >= ofKey;
    if (this.#takenBytes > 0 && !isFitting) throw this.full;
    this.#add(keyId, bytes);
    response.once('close', () => this.#add(keyId, -bytes));
  }

  #add(keyId: string, bytes: number): void {
    this.#takenBytes += bytes;
    const ofKey = (this.#takenByKey.get(keyId) ?? 0) + bytes;
    if (ofKey > 0) this.#takenByKey.set(keyId, ofKey);
    else this.#takenByKey.delete(keyId);
  }
}
