import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { readMetrics } from '../../reliability/support/metrics.js';
import { temporaryFolder } from '../../support/service-process.js';
import { DEPLOY_TOOLS } from './tools.js';

const ALERTS = fileURLToPath(new URL('../../../deploy/prometheus/alerts.yaml', import.meta.url));

/** Longer than NurselogModelsDiffer has to last before it fires. */
const STAGE_MINUTES = 60;

/** The series that names the models of a replica, as Prometheus stores it. */
export async function readModelSeries(instance: string, ops: string): Promise<string> {
  const { text } = await readMetrics(ops);
  const [, labels] = /^nurselog_model_info\{(.*)\} 1$/m.exec(text)!;
  return `nurselog_model_info{instance="${instance}",${labels}}`;
}

/**
 * Has promtool test whether NurselogModelsDiffer fires at the end of each stage, which lasts an hour.
 * @param stages the series that exist during a stage, and whether the alert fires at its end
 */
export function expectModelsDiffer(
  stages: readonly { series: readonly string[]; isFiring: boolean }[],
): void {
  const names = new Set(stages.flatMap(({ series }) => series));
  const valuesOf = (name: string) =>
    stages.flatMap(({ series }) => Array(STAGE_MINUTES).fill(series.includes(name) ? '1' : '_')).join(' ');
  const exp_annotations = {
    summary: 'Replicas serve models or grids of different digests',
    runbook_url: 'https://git.example.org/docs/operations.md#nurselogmodelsdiffer',
  };
  const firing = { exp_labels: { severity: 'warn' }, exp_annotations };
  expectRulesToPass({
    interval: '1m',
    external_labels: { nurselog_docs: 'https://git.example.org/' },
    input_series: [...names].map((series) => ({ series, values: valuesOf(series) })),
    alert_rule_test: stages.map(({ isFiring }, stage) => ({
      alertname: 'NurselogModelsDiffer',
      eval_time: `${(stage + 1) * STAGE_MINUTES - 1}m`,
      exp_alerts: isFiring ? [firing] : [],
    })),
  });
}

/** Has promtool run one test of the alerts, as its documentation describes them. */
export function expectRulesToPass(test: object): void {
  const file = path.join(temporaryFolder(), 'test.yaml');
  writeFileSync(file, stringify({ rule_files: [ALERTS], tests: [test] }));
  expect(promtool('test', 'rules', file)).toContain('SUCCESS');
}

export const promtool = (...command: string[]) =>
  execFileSync(path.join(DEPLOY_TOOLS!, 'promtool'), command, { encoding: 'utf8' });
