import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CAN_MOUNT } from '../support/can-mount.js';
import { listeningHosts } from '../support/listening-hosts.js';
import { startTestService } from '../support/service.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const LOCALHOST = { HOST: 'localhost', OPS_HOST: 'localhost' };

async function expectAnswers(api: string, ops: string): Promise<void> {
  expect((await fetch(`${api}/v1/health`)).status).toBe(200);
  expect((await fetch(`${ops}/livez`)).status).toBe(200);
}

test.each(['localhost', '127.0.0.2', ...(HAS_IPV6 ? ['0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'] : [])])(
  'a service with HOST=%s, which only this machine reaches, answers there and issues the first key',
  async (host) => {
    const service = await startTestService({ HOST: host, OPS_HOST: 'localhost' });
    onTestFinished(() => service.stop());
    await expectAnswers(service.apiUrl, service.opsUrl);
    expect(service.key).toMatch(/^nurse_live_/);
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
    const { api, ops } = await service.ready();
    await expectAnswers(api, ops);
    const printed = [api, ops].map((url) => new URL(url).host).sort();
    expect(listeningHosts(service.pid)).toEqual(printed);
  },
);
