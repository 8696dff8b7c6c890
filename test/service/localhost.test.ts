import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CAN_MOUNT } from '../support/can-mount.js';
import { listeningHosts } from '../support/listening-hosts.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const LOCALHOST = { HOST: 'localhost', OPS_HOST: 'localhost' };

async function expectToAnswer(service: ServiceProcess): Promise<void> {
  const { api, ops } = await service.ready();
  expect((await fetch(`${api}/v1/health`)).status).toBe(200);
  expect((await fetch(`${ops}/livez`)).status).toBe(200);
  expect(await service.firstKey()).toMatch(/^nurse_live_/);
}

test('a service with HOST=localhost answers on the addresses that it prints, and issues the first key', async () => {
  await expectToAnswer(new ServiceProcess(LOCALHOST));
});

test.each(['127.0.0.2', 'LOCALHOST', ...(HAS_IPV6 ? ['0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'] : [])])(
  'a service with HOST=%s, which only this machine reaches, answers there and issues the first key',
  async (host) => {
    await expectToAnswer(new ServiceProcess({ HOST: host }));
  },
);

test.runIf(CAN_MOUNT)(
  'a service with HOST=localhost listens on one address where localhost has two',
  async () => {
    const hosts = path.join(temporaryFolder(), 'hosts');
    writeFileSync(hosts, '127.0.0.1 localhost\n::1 localhost\n');
    const withHosts = `mount --bind ${hosts} /etc/hosts && exec "$@"`;
    const wrapper = ['unshare', '--mount', 'sh', '-c', withHosts, 'sh'];
    const service = new ServiceProcess(LOCALHOST, undefined, wrapper);
    await expectToAnswer(service);
    const { api, ops } = await service.ready();
    const printed = [api, ops].map((url) => new URL(url).host).sort();
    expect(listeningHosts(service.pid)).toEqual(printed);
  },
);
