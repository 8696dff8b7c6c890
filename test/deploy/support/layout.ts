import { spawn } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../testing/free-port.js';
import { eventually } from '../../support/eventually.js';
import { amount } from '../../support/length.js';
import { ServiceProcess, temporaryFolder } from '../../support/service-process.js';
import { NameServer } from './name-server.js';
import { DEPLOY_TOOLS } from './tools.js';

const NGINX_CONF = fileURLToPath(new URL('../../../deploy/nginx/nginx.conf', import.meta.url));

const BALANCER = '127.0.0.1';
/** Factor by which callers wait longer than the shipped time limits. */
const TIME_FACTOR = amount({ short: 10, long: 1 });
/** As in nginx.conf, but for the port. */
const NAME_SERVER = '127.0.0.11';

/** A replica at an address of its own, as a container has it. */
export interface Replica {
  readonly process: ServiceProcess;
  readonly address: string;
  /** Its own URLs, of the API and the operators' listener. */
  readonly api: string;
  readonly ops: string;
}

/**
 * The layout of deploy/compose.yaml as processes: nginx with the configuration that is shipped, which finds replicas by
 * asking a name server, and replicas that share a database. Everything has the same port, at addresses of its own.
 */
export class Layout {
  readonly #folder = temporaryFolder();
  #names!: NameServer;
  #replicasStarted = 0;

  private constructor(
    private readonly databaseUrl: string,
    private readonly port: number,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /**
   * Starts nginx and `replicas` replicas, which last as long as the running test.
   * @param environment further variables of every replica
   */
  static async start(
    databaseUrl: string,
    replicas: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<[Layout, ...Replica[]]> {
    const layout = new Layout(databaseUrl, await freePort(), environment);
    layout.#names = await NameServer.start(NAME_SERVER, layout.port);
    const started = await Promise.all(Array.from({ length: replicas }, () => layout.addReplica()));
    layout.#startBalancer();
    await layout.#isBalancing();
    return [layout, ...started];
  }

  /** The URL for callers. */
  get url(): string {
    return `http://${BALANCER}:${this.port}`;
  }

  /** What nginx wrote so far. */
  get balancerLog(): string {
    return readFileSync(path.join(this.#folder, 'log'), 'utf8');
  }

  /**
   * Starts a replica that the balancer knows of at once, ready or not, as Docker's name server does; resolves when it is
   * ready.
   */
  async addReplica(): Promise<Replica> {
    this.#replicasStarted += 1;
    const address = `127.0.0.${20 + this.#replicasStarted}`;
    this.#names.addresses.add(address);
    const process = new ServiceProcess({
      HOST: address,
      PORT: String(this.port),
      DATABASE_URL: this.databaseUrl,
      LISTEN: 'when-ready',
      REQUEST_TIMEOUT_MS: String(10_000 * TIME_FACTOR),
      SHUTDOWN_TIMEOUT_MS: String(15_000 * TIME_FACTOR),
      ...this.environment,
    });
    return { process, address, ...(await process.ready()) };
  }

  /** Removes its address from the name server, as Docker does when a container is gone. */
  forget({ address }: Replica): void {
    this.#names.addresses.delete(address);
  }

  #startBalancer(): void {
    const conf = path.join(this.#folder, 'nginx.conf');
    writeFileSync(conf, this.#configuration());
    const log = openSync(path.join(this.#folder, 'log'), 'a');
    const nginx = spawn(
      path.join(DEPLOY_TOOLS!, 'nginx'),
      ['-p', this.#folder, '-c', conf, '-e', 'stderr', '-g', 'daemon off;'],
      { stdio: ['ignore', log, log] },
    );
    // SIGTERM is nginx's fast way out; its workers go with it.
    onTestFinished(() => void nginx.kill('SIGTERM'));
  }

  /** The file that is shipped, but for the addresses. */
  #configuration(): string {
    const replacements = {
      'listen 8080': `listen ${BALANCER}:${this.port}`,
      'resolver 127.0.0.11': `resolver ${NAME_SERVER}:${this.port}`,
      'server nurselog:8080': `server nurselog:${this.port}`,
    };
    let text = readFileSync(NGINX_CONF, 'utf8');
    for (const [shipped, here] of Object.entries(replacements)) {
      if (text.split(shipped).length !== 2) throw new Error(`nginx.conf has not one "${shipped}"`);
      text = text.replace(shipped, here);
    }
    // A busy machine may take longer than callers would wait. test/deploy/timeouts.test.ts checks the shipped times.
    return text.replaceAll(
      /((?:proxy|client)_\w*timeout) (\d+)s/g,
      (_, name, seconds) => `${name} ${seconds * TIME_FACTOR}s`,
    );
  }

  async #isBalancing(): Promise<void> {
    await eventually(async () => {
      const { ok } = await fetch(`${this.url}/v1/health`);
      if (!ok) throw new Error(`nginx does not balance: ${this.balancerLog}`);
    });
  }
}
