import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../src/config.js';
import { CuttableLink } from '../accounts/support/cuttable-link.js';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import { configTable } from '../support/config-table.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { sharedService } from '../support/service.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';
import { expectRulesToPass } from './support/promtool.js';
import { DEPLOY_TOOLS } from './support/tools.js';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');

const ALERTS: { alert: string; expr: string; annotations: { runbook_url: string } }[] = parse(
  read('deploy/prometheus/alerts.yaml'),
).groups[0].rules;

const PROMETHEUS = fileURLToPath(new URL('../../deploy/prometheus/prometheus.yaml', import.meta.url));

const DASHBOARD = JSON.parse(read('deploy/grafana/nurselog.json')) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};
const PANELS = DASHBOARD.panels
  .filter(({ targets }) => targets !== undefined)
  .map(({ title, targets }) => ({ title, expressions: targets!.map(({ expr }) => expr) }));

/** The runbook_url of an alert. @param docs the URL of the folder of docs/, by default as in the rules */
const runbookOf = (alert: string, docs = '{{ $externalLabels.nurselog_docs }}') =>
  `${docs}docs/operations.md#${alert.toLowerCase()}`;

/** Names of the service's metrics in a text, without `up`, which Prometheus records itself. */
function metricNames(text: string): string[] {
  return [...new Set(text.match(/\b(nurselog|process|nodejs)_\w+/g) ?? [])];
}

/** The name of a metric without the suffix of a histogram's series. */
const withoutSuffix = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

const service = await sharedService();
await service.post('/v1/predict', PREDICT_REQUEST);
const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
/** Names of the metrics that the service has. */
const exported = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);

test("docs/operations.md explains each of nurselog's own metrics, and none that the service does not have", () => {
  const table = read('docs/operations.md').split('<!-- metrics')[1].split('<!-- /metrics')[0];
  const explained = metricNames(table);
  expect(exported).toEqual(expect.arrayContaining(explained));
  expect(explained).toEqual(expect.arrayContaining(exported.filter((name) => name.startsWith('nurselog_'))));
});

test('the runbook_url of each alert is its heading in docs/operations.md, and no other alert has one', () => {
  const [section] = read('docs/operations.md').split('\n## Alerts\n')[1].split('\n## ');
  const anchors = [...section.matchAll(/^### (\w+)\n\n\w/gm)].map(([, name]) => runbookOf(name!));
  expect(ALERTS.map(({ annotations }) => annotations.runbook_url).toSorted()).toEqual(anchors.toSorted());
  for (const { alert, annotations } of ALERTS) expect(annotations.runbook_url).toBe(runbookOf(alert));
});

test('docs/operations.md has advice on every environment variable', () => {
  const [advice] = read('docs/operations.md').split('## What to set when')[1].split('\n## ');
  for (const [, name] of configTable().matchAll(/^\| `(\w+)`/gm)) expect(advice).toContain(`\`${name}\``);
});

test('NurselogQueueFilling fires from where batches may be rejected: an eighth of the default limit', () => {
  const expr = `nurselog_queue_sites > ${loadConfig({}).queueLimitSites / 8}`;
  expect(ALERTS).toContainEqual(expect.objectContaining({ alert: 'NurselogQueueFilling', expr }));
});

test.each(ALERTS)('the alert $alert queries metrics that the service has', ({ expr }) => {
  expect(/\bup\{/.test(expr) || metricNames(expr).length > 0).toBe(true);
  for (const name of metricNames(expr)) expect(exported).toContain(withoutSuffix(name));
});

test.each(PANELS)('the panel "$title" queries metrics that the service has', ({ expressions }) => {
  for (const expression of expressions) {
    expect(metricNames(expression)).not.toEqual([]);
    for (const name of metricNames(expression)) expect(exported).toContain(withoutSuffix(name));
  }
});

test.skipIf(DEPLOY_TOOLS === undefined)(
  'Prometheus accepts every expression of the alerts and the panels',
  () => {
    const promtool = path.join(DEPLOY_TOOLS!, 'promtool');
    const file = path.join(temporaryFolder(), 'panels.yaml');
    const rules = PANELS.flatMap(({ expressions }) => expressions).map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    writeFileSync(file, stringify({ groups: [{ name: 'panels', rules }] }));
    const alerts = fileURLToPath(new URL('../../deploy/prometheus/alerts.yaml', import.meta.url));
    const said = execFileSync(promtool, ['check', 'rules', alerts, file], { encoding: 'utf8' });
    expect(said).toContain(`SUCCESS: ${ALERTS.length} rules found`);
    expect(said).toContain(`SUCCESS: ${rules.length} rules found`);
  },
);

test.skipIf(DEPLOY_TOOLS === undefined)('Prometheus accepts its configuration and loads the alerts', () => {
  const promtool = path.join(DEPLOY_TOOLS!, 'promtool');
  const said = execFileSync(promtool, ['check', 'config', PROMETHEUS], { encoding: 'utf8' });
  expect(said).toContain(`SUCCESS: ${ALERTS.length} rules found`);
});

test.skipIf(DEPLOY_TOOLS === undefined)(
  'NurselogRefusing counts the 503 of requests, and not those of health checks while the service starts or drains',
  () => {
    const series = (route: string, status: string) =>
      `nurselog_http_request_duration_seconds_count{instance="a",route="${route}",status="${status}"}`;
    const health = { series: series('/v1/health', '503'), values: '0+60x30' };
    const answered = { series: series('/v1/predict', '200'), values: '0+60x30' };
    const refused = { series: series('/v1/predict', '503'), values: '0+1x30' };
    const firing = {
      exp_labels: { severity: 'page' },
      exp_annotations: {
        summary: 'More than 1 % of requests get 503',
        runbook_url: runbookOf('NurselogRefusing', 'https://git.example.org/'),
      },
    };
    for (const [input_series, exp_alerts] of [
      [[health, answered], []],
      [[health, answered, refused], [firing]],
    ])
      expectRulesToPass({
        interval: '1m',
        external_labels: { nurselog_docs: 'https://git.example.org/' },
        input_series,
        alert_rule_test: [{ alertname: 'NurselogRefusing', eval_time: '30m', exp_alerts }],
      });
  },
);

test('Prometheus scrapes three replicas without containers, under the name that the alerts ask for', () => {
  const [{ job_name, static_configs }] = parse(readFileSync(PROMETHEUS, 'utf8')).scrape_configs;
  for (const { expr } of ALERTS)
    for (const [, job] of expr.matchAll(/job="(\w+)"/g)) expect(job_name).toBe(job);
  const [, port] = /OPS_PORT=(\S+)/.exec(read('deploy/systemd/nurselog@.service.d/replica.conf'))!;
  expect(static_configs[0].targets).toEqual([1, 2, 3].map((i) => `127.0.0.1:${port!.replace('%i', `${i}`)}`));
});

test.skipIf(DEPLOY_TOOLS === undefined)("Prometheus has no objection to the service's own metrics", () => {
  const promtool = path.join(DEPLOY_TOOLS!, 'promtool');
  const checked = spawnSync(promtool, ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
  expect(checked.error).toBeUndefined();
  expect(checked.stderr.split('\n').filter((line) => line.startsWith('nurselog_'))).toEqual([]);
});

test.skipIf(!HAS_POSTGRES)(
  'while PostgreSQL is unreachable, nurselog_store_up is 0 and a replica is healthy but not ready',
  async () => {
    const database = await POSTGRES.create();
    const link = await CuttableLink.to(database);
    const { api, ops } = await new ServiceProcess({ DATABASE_URL: link.over(database) }).ready();
    const isUp = async () =>
      /^nurselog_store_up (\d)$/m.exec(await (await fetch(`${ops}/metrics`)).text())![1];
    expect(await isUp()).toBe('1');
    link.cut();
    expect(await isUp()).toBe('0');
    expect((await fetch(`${ops}/readyz`)).status).toBe(503);
    expect((await fetch(`${api}/v1/health`)).status).toBe(200);
  },
);
