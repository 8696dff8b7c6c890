import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A network link to a server that a test can cut, silence and restore. */
export class CuttableLink {
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;
  #silent = false;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((socket) => this.#forward(socket));
  }

  /** A link to the server of a URL that lasts as long as the running test. */
  static async to(url: string): Promise<CuttableLink> {
    const { hostname, port } = new URL(url);
    const link = new CuttableLink({ host: hostname, port: Number(port || 5432) });
    await link.#listen();
    onTestFinished(() => link.cut());
    return link;
  }

  /** A URL as reached over the link. */
  over(url: string): string {
    const linked = new URL(url);
    linked.hostname = '127.0.0.1';
    linked.port = String(this.#port);
    return linked.href;
  }

  /** Breaks all connections and refuses new ones, as when the server is down and its machine is up. */
  cut(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Passes nothing on, as when packets are dropped. Connections that are open now stay silent for ever. */
  silence(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Open connections still carry requests, but no answers. */
  loseAnswers(): void {
    for (const socket of this.#sockets) if (socket.remotePort === this.#target.port) socket.unpipe().pause();
  }

  /** Accepts new connections again. */
  async restore(): Promise<void> {
    this.#silent = false;
    if (!this.#server.listening) await this.#listen();
  }

  async #listen(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #forward(socket: Socket): void {
    this.#keep(socket);
    if (this.#silent) return;
    const upstream = connect(this.#target);
    this.#keep(upstream);
    socket.pipe(upstream).pipe(socket);
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // Broken connections are the purpose of the link.
    socket.on('error', () => {});
  }
}
