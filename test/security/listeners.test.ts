import { expect, test } from 'vitest';
import { listeningHosts } from '../support/listening-hosts.js';
import { ServiceProcess } from '../support/service-process.js';

test.runIf(process.platform === 'linux').each([
  ['both listeners listen on 127.0.0.1 only by default', {}, '127.0.0.1'],
  // Only Linux has this address by default.
  ["the operators' listener stays on 127.0.0.1 when HOST moves the API", { HOST: '127.0.0.2' }, '127.0.0.2'],
])('%s', async (_, environment: Record<string, string>, apiAddress) => {
  const service = new ServiceProcess(environment);
  const { api, ops } = await service.ready();
  expect((await fetch(`${api}/v1/health`)).status).toBe(200);
  expect((await fetch(`${ops}/livez`)).status).toBe(200);
  const expected = [`${apiAddress}:${new URL(api).port}`, `127.0.0.1:${new URL(ops).port}`];
  expect(listeningHosts(service.pid)).toEqual(expected.sort());
});
