import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Answer<Report> = { readonly report: Report } | { readonly error: string };

/** A process of its own that carries out orders, one after the other: see `carryOutOrders`. */
export class OrderedProcess<Order extends { readonly port: number }, Report> {
  readonly #process: ChildProcess;
  readonly #ended: Promise<never>;

  /** @param file what the process runs, TypeScript */
  constructor(file: URL) {
    this.#process = fork(fileURLToPath(file), { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
    this.#ended = once(this.#process, 'exit').then(([code]) => {
      throw new Error(`${file} ended with code ${code}`);
    });
    this.#ended.catch(() => {}); // reported by run
  }

  /** Has the process carry out an order. @throws Error if that failed, as when the server does not answer */
  async run(order: Order): Promise<Report> {
    this.#process.send(order);
    const answered = once(this.#process, 'message') as Promise<[Answer<Report>]>;
    const [answer] = await Promise.race([answered, this.#ended]);
    if ('error' in answer) throw new Error(`load on port ${order.port}: ${answer.error}`);
    return answer.report;
  }

  close(): void {
    this.#process.disconnect();
  }
}

/** Carries out the orders that this process receives, and sends back the report or the error. */
export function carryOutOrders<Order, Report>(carryOut: (order: Order) => Promise<Report>): void {
  const send = (answer: Answer<Report>) => process.send!(answer);
  process.on('message', (order: Order) => {
    void carryOut(order).then(
      (report) => send({ report }),
      (error: Error) => send({ error: error.message }),
    );
  });
}
