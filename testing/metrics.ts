/** Metrics in Prometheus's text. */
export class Metrics {
  constructor(readonly text: string) {}

  /** The value of a metric without labels. */
  value(name: string): number {
    const line = new RegExp(`^${name} (\\S+)$`, 'm').exec(this.text);
    if (line === null) throw new Error(`there is no metric ${name}`);
    return Number(line[1]);
  }

  /** The sum of a metric's values whose labels fit, 0 if there are none. */
  sum(name: string, labels = '{.*}'): number {
    const values = this.text.matchAll(new RegExp(`^${name}${labels} (\\S+)$`, 'gm'));
    return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** Memory of the process, with all its threads. */
  get residentMb(): number {
    return this.value('process_resident_memory_bytes') / 1024 ** 2;
  }

  /** Heap of the main thread, what is still to be collected included. */
  get heapMb(): number {
    return this.value('nodejs_heap_size_used_bytes') / 1024 ** 2;
  }

  /** Open handles of the process, such as connections, listeners and timers. */
  get handles(): number {
    return this.value('nodejs_active_handles_total');
  }
}
