import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_RETRY } from '../../clients/typescript/src/retry.js';
import { type Config, loadConfig } from '../../src/config.js';
import { LATER_STEP_TIMEOUTS } from '../../src/work/job.js';
import { sharedService } from '../support/service.js';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');

/** Past its deadline the process writes request counts (1 s) and its last log line (0.5 s) before it ends. */
const LAST_WRITES_SECONDS = 2;

const nginxConf = read('deploy/nginx/nginx.conf');
const compose = parse(read('deploy/compose.yaml'), { merge: true }).services;
const pod = parse(read('deploy/kubernetes/deployment.yaml')).spec.template.spec;
const [container] = pod.containers;
const composeStopSeconds = Number.parseInt(compose['nurselog-1'].stop_grace_period, 10);
const systemdStopSeconds = Number(
  /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/systemd/nurselog.service'))![1],
);

const defaults = loadConfig({});
const composeConfig = configOf(Object.entries(compose['nurselog-1'].environment));
const kubernetesConfig = configOf(
  container.env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? '']),
);
const replicas = [composeConfig, kubernetesConfig];

/** The configuration of a process with these variables, some of which Kubernetes fills in. */
function configOf(variables: readonly [string, unknown][]): Config {
  return loadConfig(Object.fromEntries(variables.map(([name, value]) => [name, String(value)])));
}

const TABLES = 'location = /v1/predict/table {';
const tablesConf = nginxConf.split(TABLES)[1]!.split(/^ {4}\}$/m)[0]!;
const otherConf = nginxConf.replace(tablesConf, '');

/** @param block where the directive stands: between the first line with this text and the closing brace of its depth */
function nginxSeconds(directive: string, block = ''): number {
  const text =
    block === TABLES
      ? tablesConf
      : block === ''
        ? otherConf
        : otherConf.split(block)[1]!.split(/^ {2}\}$/m)[0]!;
  const values = [...text.matchAll(new RegExp(`^ *${directive} (\\d+)s;`, 'gm'))].map(([, value]) =>
    Number(value),
  );
  expect(values).toHaveLength(1);
  return values[0];
}

const timeLimits = read('docs/operations.md').split('\n## Time limits\n')[1].split('\n## ')[0];
/** The rows of the table of time limits in docs/operations.md, in seconds. */
const documented = Object.fromEntries(
  [...timeLimits.matchAll(/^\| `([\w`, ]+)`(?: \(([\w, ]+)\))? \| (\d+) s \|/gm)].map(
    ([, name, where, seconds]) => [where === undefined ? name : `${name} (${where})`, Number(seconds)],
  ),
);

/** The Python client's own tests compare its default with this row. */
const pythonSeconds = documented['timeout (Python client)'];
const typeScriptSeconds = DEFAULT_RETRY.attemptTimeoutMs / 1000;
const ingressSeconds = (file: string, name: string) =>
  Number(
    parse(read(`deploy/kubernetes/${file}`)).metadata.annotations[`nginx.ingress.kubernetes.io/${name}`],
  );

test('the clients wait longer than nginx does for two replicas, one after the other', () => {
  const attempt = nginxSeconds('proxy_connect_timeout') + nginxSeconds('proxy_read_timeout');
  for (const seconds of [pythonSeconds, typeScriptSeconds]) expect(seconds).toBeGreaterThan(2 * attempt);
});

test('nginx allows a request to take as long to arrive as the service does', () => {
  expect(nginxSeconds('client_header_timeout') * 1000).toBe(defaults.requestTimeoutMs);
  expect(nginxSeconds('client_body_timeout') * 1000).toBe(defaults.requestTimeoutMs);
});

test('nginx and Google Cloud (after 600 s) close idle connections to a replica before the replica does', async () => {
  const service = await sharedService();
  const agent = new Agent({ keepAlive: true });
  const [response] = await once(get(`${service.apiUrl}/v1/health`, { agent }), 'response');
  const [, seconds] = /timeout=(\d+)/.exec(response.headers['keep-alive'])!;
  agent.destroy();
  expect(Math.max(nginxSeconds('keepalive_timeout', 'upstream nurselog'), 600)).toBeLessThan(Number(seconds));
});

test('nginx waits longer for an answer than any replica works on a request', () => {
  for (const { requestTimeoutMs } of [defaults, ...replicas])
    expect(nginxSeconds('proxy_read_timeout') * 1000).toBeGreaterThan(requestTimeoutMs);
});

test('nginx stops trying further replicas before the deadline of a request', () => {
  for (const { requestTimeoutMs } of replicas)
    expect(nginxSeconds('proxy_next_upstream_timeout') * 1000).toBeLessThan(requestTimeoutMs);
});

test('a request that was accepted before the drain ends may use all of its time', () => {
  for (const { requestTimeoutMs, shutdownTimeoutMs } of [defaults, ...replicas])
    expect(shutdownTimeoutMs).toBeGreaterThanOrEqual(requestTimeoutMs);
});

test.each<[what: string, killSeconds: number, config: Config]>([
  ['Kubernetes kills a pod', pod.terminationGracePeriodSeconds, kubernetesConfig],
  ['Compose kills a replica', composeStopSeconds, composeConfig],
  ['systemd kills the process', systemdStopSeconds, defaults],
])('%s only after its drain and its last writes', (_, seconds, { drainDelayMs, shutdownTimeoutMs }) => {
  const drainSeconds = (drainDelayMs + shutdownTimeoutMs) / 1000;
  expect(seconds).toBeGreaterThanOrEqual(drainSeconds + LAST_WRITES_SECONDS);
});

test('nginx waits for a part of a table longer than a replica retries its rows, and not as long as clients wait', () => {
  for (const name of ['send', 'read']) {
    const seconds = nginxSeconds(`proxy_${name}_timeout`, TABLES);
    for (const { requestTimeoutMs } of [defaults, ...replicas])
      expect(seconds).toBeGreaterThan((LATER_STEP_TIMEOUTS * requestTimeoutMs) / 1000);
    expect(seconds).toBeLessThan(pythonSeconds);
  }
});

test('the Ingresses of Kubernetes have the time limits of nginx.conf', () => {
  const [others, tables] = ['ingress.yaml', 'ingress-tables.yaml'];
  const attempts = 'proxy-next-upstream-timeout';
  expect(ingressSeconds(others, attempts)).toBe(nginxSeconds('proxy_next_upstream_timeout'));
  for (const file of [others, tables])
    expect(ingressSeconds(file, 'proxy-connect-timeout')).toBe(nginxSeconds('proxy_connect_timeout'));
  for (const name of ['read', 'send']) {
    expect(ingressSeconds(others, `proxy-${name}-timeout`)).toBe(nginxSeconds(`proxy_${name}_timeout`));
    expect(ingressSeconds(tables, `proxy-${name}-timeout`)).toBe(
      nginxSeconds(`proxy_${name}_timeout`, TABLES),
    );
  }
});

test('Compose kills nginx only after the longest answer that it waits for', () => {
  expect(Number.parseInt(compose.nginx.stop_grace_period, 10)).toBeGreaterThan(
    nginxSeconds('proxy_read_timeout'),
  );
});

test('a pod is out of rotation before it stops accepting requests', () => {
  const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe;
  expect(kubernetesConfig.drainDelayMs / 1000).toBeGreaterThan(
    periodSeconds * failureThreshold + timeoutSeconds,
  );
});

test('the table of time limits in docs/operations.md has the values of the files', () => {
  expect(documented).toEqual({
    'timeout (Python client)': pythonSeconds,
    'attemptTimeoutMs (TypeScript client)': typeScriptSeconds,
    'client_header_timeout (nginx)': nginxSeconds('client_header_timeout'),
    'client_body_timeout (nginx)': nginxSeconds('client_body_timeout'),
    'proxy_connect_timeout (nginx)': nginxSeconds('proxy_connect_timeout'),
    'proxy_send_timeout (nginx)': nginxSeconds('proxy_send_timeout'),
    'keepalive_timeout (nginx, to replicas)': nginxSeconds('keepalive_timeout', 'upstream nurselog'),
    REQUEST_TIMEOUT_MS: defaults.requestTimeoutMs / 1000,
    SHUTDOWN_TIMEOUT_MS: defaults.shutdownTimeoutMs / 1000,
    'DRAIN_DELAY_MS (Compose)': composeConfig.drainDelayMs / 1000,
    'DRAIN_DELAY_MS (Kubernetes)': kubernetesConfig.drainDelayMs / 1000,
    'proxy_read_timeout (nginx)': nginxSeconds('proxy_read_timeout'),
    'proxy_read_timeout`, `proxy_send_timeout (nginx, tables)': nginxSeconds('proxy_read_timeout', TABLES),
    'send_timeout (nginx, tables)': nginxSeconds('send_timeout', TABLES),
    'proxy_next_upstream_timeout (nginx)': nginxSeconds('proxy_next_upstream_timeout'),
    'terminationGracePeriodSeconds (Kubernetes)': pod.terminationGracePeriodSeconds,
    'TimeoutStopSec (systemd)': systemdStopSeconds,
    'stop_grace_period (Compose)': composeStopSeconds,
  });
  for (const { requestTimeoutMs, shutdownTimeoutMs } of replicas)
    expect({ requestTimeoutMs, shutdownTimeoutMs }).toEqual({
      requestTimeoutMs: defaults.requestTimeoutMs,
      shutdownTimeoutMs: defaults.shutdownTimeoutMs,
    });
});
