/** Bounds the memory of the bodies of all requests of a kind together, each from the head of its request to the end of its answer. */
export class BodyBudget {
  #takenBytes = 0;

  constructor(private readonly budgetBytes: number) {}

  /** Takes memory for a body; there is always enough for one. @returns false, and takes nothing, where too little is left */
  take(bytes: number): boolean {
    if (this.#takenBytes > 0 && this.#takenBytes + bytes > this.budgetBytes) return false;
    this.#takenBytes += bytes;
    return true;
  }

  /** Gives back what was taken. */
  release(bytes: number): void {
    this.#takenBytes -= bytes;
  }
}
