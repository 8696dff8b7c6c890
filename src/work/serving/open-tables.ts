/** The tables of a generation that are open. */
export class OpenTables {
  /** What cuts the connection of each. */
  readonly #cuts = new Set<() => void>();
  #resolveIdle: (() => void)[] = [];

  get count(): number {
    return this.#cuts.size;
  }

  /** @param cut ends the connection of the caller */
  add(cut: () => void): void {
    this.#cuts.add(cut);
  }

  remove(cut: () => void): void {
    this.#cuts.delete(cut);
    if (this.#cuts.size > 0) return;
    for (const resolve of this.#resolveIdle.splice(0)) resolve();
  }

  /** Ends the connections of all callers. @returns how many */
  cut(): number {
    const cuts = [...this.#cuts];
    for (const cut of cuts) cut();
    return cuts.length;
  }

  /** Resolves when none is open; none may be opened meanwhile. */
  async idle(): Promise<void> {
    if (this.#cuts.size > 0) await new Promise<void>((resolve) => this.#resolveIdle.push(resolve));
  }
}
