import { FairQueue } from './fair-queue.js';

/** A place at work, or the wait for one. */
export class Entry {
  /** In the queue of entries each counts as one. */
  readonly rowCount = 1;
  /** Resolves with true when the entry has its place, with false when it left before. */
  readonly admitted: Promise<boolean>;
  state: 'waiting' | 'inside' | 'left' = 'waiting';
  #resolve!: (isAdmitted: boolean) => void;

  constructor(readonly keyId: string) {
    this.admitted = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  settle(state: 'inside' | 'left'): void {
    this.state = state;
    this.#resolve(state === 'inside');
  }
}

/**
 * Lets so many batches be worked on at once, keys taking turns. Reading a batch and sending its answer are work of the
 * main thread: a key that sends dozens at once would otherwise keep it from a single prediction of another.
 */
export class Turnstile {
  readonly #waiting = new FairQueue<Entry>();
  #freePlaces: number;

  /**
   * @param places how many may be at work
   * @param waitingLimit how many more may wait
   */
  constructor(
    places: number,
    readonly waitingLimit: number,
  ) {
    this.#freePlaces = places;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.rowCount;
  }

  /** @returns nothing where too many wait already */
  enter(keyId: string): Entry | undefined {
    if (this.waiting >= this.waitingLimit) return undefined;
    const entry = new Entry(keyId);
    this.#waiting.add(entry);
    this.#admit();
    return entry;
  }

  /** Gives a place back, or ends a wait; a second time does nothing. */
  leave(entry: Entry): void {
    const { state } = entry;
    if (state === 'left') return;
    entry.settle('left');
    if (state === 'waiting') this.#waiting.drop(entry);
    else this.#freePlaces++;
    this.#admit();
  }

  #admit(): void {
    while (this.#freePlaces > 0 && this.waiting > 0) {
      this.#freePlaces--;
      this.#waiting.take(1)[0]!.job.settle('inside');
    }
  }
}
