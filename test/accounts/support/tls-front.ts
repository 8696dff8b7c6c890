import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/service-process.js';

/** A certificate of its own authority for `localhost`, with its key. */
export function selfSignedCertificate(): { certificateFile: string; keyFile: string } {
  const folder = temporaryFolder();
  const certificateFile = join(folder, 'localhost.crt');
  const keyFile = join(folder, 'localhost.key');
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...request, ...names, '-keyout', keyFile, '-out', certificateFile], {
    stdio: 'ignore',
  });
  return { certificateFile, keyFile };
}

/**
 * Puts TLS in front of a PostgreSQL server for the running test, as the server itself would with `ssl = on`: it
 * agrees to the SSLRequest that a connection starts with, then speaks TLS.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL
 *
 * @returns the URL on `localhost`, still without an `sslmode`
 */
export async function tlsFront(url: string, certificateFile: string, keyFile: string): Promise<URL> {
  const { hostname, port } = new URL(url);
  const secureContext = createSecureContext({
    cert: readFileSync(certificateFile),
    key: readFileSync(keyFile),
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => {
      socket.write('S');
      const plain = new TLSSocket(socket, { isServer: true, secureContext });
      const upstream = connect({ host: hostname, port: Number(port || 5432) });
      sockets.add(upstream);
      plain.on('error', () => upstream.destroy());
      plain.pipe(upstream).pipe(plain);
    });
  });
  await once(server.listen(0, 'localhost'), 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const front = new URL(url);
  front.hostname = 'localhost';
  front.port = String((server.address() as AddressInfo).port);
  return front;
}
