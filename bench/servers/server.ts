/** A server under load, in a separate process. */
export interface Server {
  readonly port: number;
  readonly key: string;
  /** From the start of the process until it was ready. */
  readonly readyMs: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Resources that a process has used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}
