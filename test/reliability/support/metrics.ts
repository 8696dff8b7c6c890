/** The metrics of a service as they are now. */
export async function readMetrics(opsUrl: string): Promise<Metrics> {
  return new Metrics(await (await fetch(`${opsUrl}/metrics`)).text());
}

/** Metrics in Prometheus's text. */
export class Metrics {
  constructor(readonly text: string) {}

  /** The value of a metric without labels. */
  value(name: string): number {
    const line = new RegExp(`^${name} (\\S+)$`, 'm').exec(this.text);
    if (line === null) throw new Error(`there is no metric ${name}`);
    return Number(line[1]);
  }

  /** Memory of the process, with all its threads. */
  get residentMb(): number {
    return this.value('process_resident_memory_bytes') / 1024 ** 2;
  }
}
