import { FairQueue } from './fair-queue.js';

type Decision = 'inside' | 'turned-away' | 'left';

/** A place at work, or the wait for one. */
export class Entry {
  /** In the queue of entries each counts as one. */
  readonly rowCount = 1;
  /** Resolves when the wait is over: with the entry inside, or turned away for another key's, or left. */
  readonly decided: Promise<Decision>;
  state: 'waiting' | Decision = 'waiting';
  #resolve!: (decision: Decision) => void;

  constructor(readonly keyId: string) {
    this.decided = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  decide(decision: Decision): void {
    this.state = decision;
    this.#resolve(decision);
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

  /**
   * Takes a place or a wait for one. Where too many wait, one of the key that has most waiting is turned away: the
   * newest, which may be this one.
   */
  enter(keyId: string): Entry {
    const entry = new Entry(keyId);
    this.#waiting.add(entry);
    this.#admit();
    this.#waiting.shed(this.waitingLimit)?.decide('turned-away');
    return entry;
  }

  /** Whether an entry of this key is sure to be turned away at once. */
  isShutTo(keyId: string): boolean {
    return this.#freePlaces === 0 && this.waiting >= this.waitingLimit && this.#waiting.hasMost(keyId);
  }

  /** Gives a place back, or ends a wait; a second time does nothing. */
  leave(entry: Entry): void {
    const { state } = entry;
    if (state === 'left' || state === 'turned-away') return;
    entry.decide('left');
    if (state === 'waiting') this.#waiting.drop(entry);
    else this.#freePlaces++;
    this.#admit();
  }

  #admit(): void {
    while (this.#freePlaces > 0 && this.waiting > 0) {
      this.#freePlaces--;
      this.#waiting.take(1)[0].job.decide('inside');
    }
  }
}
