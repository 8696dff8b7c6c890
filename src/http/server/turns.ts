/** What is to be continued in the next turn of the event loop, in the order in which it was asked for. */
export class Turns {
  #waiting: (() => void)[] = [];

  add(proceed: () => void): void {
    if (this.#waiting.push(proceed) > 1) return;
    setImmediate(() => {
      const due = this.#waiting;
      this.#waiting = [];
      for (const each of due) each();
    });
  }
}
