import { spawnSync } from 'node:child_process';
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
import { expectRulesToPass, promtool } from './support/promtool.js';
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

const runbookOf = (alert: string) =>
  `{{ $externalLabels.nurselog_docs }}docs/operations.md#${alert.toLowerCase()}`;

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
  'Prometheus accepts its configuration, loads the alerts, and accepts every expression of the panels',
  () => {
    const file = path.join(temporaryFolder(), 'panels.yaml');
    const rules = PANELS.flatMap(({ expressions }) => expressions).map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    writeFileSync(file, stringify({ groups: [{ name: 'panels', rules }] }));
    expect(promtool('check', 'config', PROMETHEUS)).toContain(`SUCCESS: ${ALERTS.length} rules found`);
    expect(promtool('check', 'rules', file)).toContain(`SUCCESS: ${rules.length} rules found`);
  },
);

const REQUESTS = 'nurselog_http_request_duration_seconds';
const plans = (status: number) => `${REQUESTS}_count{route="/v1/plan",status="${status}"}`;
/** While the service starts or drains. */
const HEALTH_503 = plans(503).replace('plan', 'health');
const below = (le: string) => `${REQUESTS}_bucket{route="/v1/predict",le="${le}"}`;
/** Waiting sites up to which no batch is rejected. */
const UNREFUSED = loadConfig({}).queueLimitSites / 8;

/** By alert: values, one a minute, of series in the half hour in which its cause lasts and in the half hour after it. */
const CAUSES: [alert: string, series: Record<string, string>][] = [
  ['NurselogDown', { up: '0x29 1x29' }],
  ['NurselogAbsent', { up: '_x30 1x29' }],
  ['NurselogStoreDown', { nurselog_store_up: '0x29 1x29' }],
  ['NurselogRestarting', { process_start_time_seconds: '0+60x29 1740x29' }],
  ['NurselogFailing', { [plans(500)]: '0+1x29 29x29' }],
  ['NurselogRefusing', { [plans(200)]: '0+9x59', [plans(503)]: '0+1x29 29x29', [HEALTH_503]: '0+9x59' }],
  ['NurselogQueueFilling', { nurselog_queue_sites: `${UNREFUSED + 1}x29 ${UNREFUSED}x29` }],
  ['NurselogSlow', { [below('.25')]: '0x29 0+9x29', [below('.5')]: '0+9x59', [below('+Inf')]: '0+9x59' }],
  ['NurselogMainThreadBusy', { nodejs_eventloop_lag_p99_seconds: '0.3x29 0.1x29' }],
  ['NurselogMemory', { process_resident_memory_bytes: '1000000000x29 500000000x29' }],
  ['NurselogFilesRunOut', { process_open_fds: '4600x29 4500x29', nurselog_connections: '4096x59' }],
  ['NurselogConnectionsFull', { nurselog_connections_closed_total: '0+1x29 29x29' }],
  ['NurselogLogLinesDropped', { nurselog_log_lines_dropped_total: '0+1x29 29x29' }],
  ['NurselogModelRefused', { nurselog_model_reload_refused: '1x29 0x29' }],
];

test.skipIf(DEPLOY_TOOLS === undefined).each(CAUSES)(
  '%s alone fires while its cause lasts, and ends after it',
  (alert, causes) => {
    const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
    const exp_samples = [{ labels: `{alertname="${alert}"}`, value: 1 }];
    const input_series = Object.entries({ up: '1x59', ...causes }).map(([name, values]) => ({
      series: name.replace(/^\w+$/, '$&{job="nurselog"}'),
      values,
    }));
    const promql_expr_test = [
      { expr, eval_time: '29m', exp_samples },
      { expr, eval_time: '59m' },
    ];
    expectRulesToPass({ interval: '1m', input_series, promql_expr_test });
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
  const command = path.join(DEPLOY_TOOLS!, 'promtool');
  const checked = spawnSync(command, ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
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
