import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { ServiceProcess } from '../support/service-process.js';

const isLinux = process.platform === 'linux';
/** Another address of the same machine; only Linux has it by default. */
const OTHER_ADDRESS = '127.0.0.2';

/** How a connection to a port of an address ends: `open`, or the code of the error. */
function connectTo(host: string, url: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port: Number(new URL(url).port) }, () => {
      socket.destroy();
      resolve('open');
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code!));
  });
}

test.skipIf(!isLinux)('both listeners listen on 127.0.0.1 only by default', async () => {
  const { api, ops } = await new ServiceProcess().ready();
  for (const url of [api, ops]) {
    expect(await connectTo('127.0.0.1', url)).toBe('open');
    expect(await connectTo(OTHER_ADDRESS, url)).toBe('ECONNREFUSED');
    expect(await connectTo('::1', url)).toMatch(/^(ECONNREFUSED|EADDRNOTAVAIL)$/);
  }
});

test.skipIf(!isLinux)("the operators' listener stays on 127.0.0.1 when HOST moves the API", async () => {
  const { api, ops } = await new ServiceProcess({ HOST: OTHER_ADDRESS }).ready();
  expect(await connectTo(OTHER_ADDRESS, api)).toBe('open');
  expect(await connectTo('127.0.0.1', api)).toBe('ECONNREFUSED');
  expect(await connectTo('127.0.0.1', ops)).toBe('open');
  expect(await connectTo(OTHER_ADDRESS, ops)).toBe('ECONNREFUSED');
});
