import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { readMetrics } from '../reliability/support/metrics.js';
import { Releases } from '../support/releases.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';
import { DEPLOY_TOOLS } from './support/tools.js';

const ALERTS = fileURLToPath(new URL('../../deploy/prometheus/alerts.yaml', import.meta.url));

/** Starts a replica on release 1, which may be changed first. @returns the series that tells its models */
async function startReplica(instance: string, change: (releases: Releases) => void): Promise<string> {
  const releases = new Releases();
  onTestFinished(() => releases.remove());
  releases.put(1);
  change(releases);
  const { ops } = await new ServiceProcess({ ...releases.environment, WORKERS: '1' }).ready();
  const { text } = await readMetrics(ops);
  const [, labels] = /^nurselog_model_info\{(.*)\} 1$/m.exec(text)!;
  return `nurselog_model_info{instance="${instance}",${labels}}`;
}

/** Has promtool test whether NurselogModelsDiffer fires when these series have existed for long enough. */
function expectAlert(series: readonly string[], isFiring: boolean): void {
  const file = path.join(temporaryFolder(), 'test.yaml');
  const firing = {
    exp_labels: { severity: 'warn' },
    exp_annotations: { summary: 'Replicas serve models or grids of different digests' },
  };
  const input = series.map((name) => ({ series: name, values: '1x60' }));
  const rule = { alertname: 'NurselogModelsDiffer', eval_time: '45m', exp_alerts: isFiring ? [firing] : [] };
  const tests = [{ interval: '1m', input_series: input, alert_rule_test: [rule] }];
  writeFileSync(file, stringify({ rule_files: [ALERTS], tests }));
  const promtool = path.join(DEPLOY_TOOLS!, 'promtool');
  expect(execFileSync(promtool, ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
}

test.skipIf(DEPLOY_TOOLS === undefined)(
  'NurselogModelsDiffer fires on two replicas whose models or data differ under one version, and not on two alike',
  async () => {
    const [first, alike, otherModels, otherSpecies] = await Promise.all([
      startReplica('a', () => {}),
      startReplica('b', () => {}),
      startReplica('c', (releases) => releases.slowDown(1)),
      startReplica('d', (releases) => {
        releases.editJson(
          path.join(releases.dataDir, 'species.json'),
          (species: { common_name: string }[]) => {
            species[0]!.common_name = 'another name';
          },
        );
        releases.listDataFiles();
      }),
    ]);
    expectAlert([first!, alike!], false);
    expectAlert([first!, otherModels!], true);
    expectAlert([first!, otherSpecies!], true);
  },
);
