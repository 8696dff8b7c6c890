import path from 'node:path';
import { expect, test } from 'vitest';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import type { Releases } from '../support/releases.js';
import { releaseFolders, reloadedTo } from '../support/service-on-releases.js';
import { ServiceProcess } from '../support/service-process.js';
import { issueKey } from './support/administer.js';
import { Layout } from './support/layout.js';
import { expectModelsDiffer, readModelSeries } from './support/promtool.js';
import { SteadyLoad } from './support/steady-load.js';
import { DEPLOY_TOOLS } from './support/tools.js';

/** Starts a replica on release 1, which may be changed first. @returns its model info series */
async function startReplica(instance: string, change: (releases: Releases) => void): Promise<string> {
  const releases = releaseFolders();
  change(releases);
  const { ops } = await new ServiceProcess(releases.environment).ready();
  return readModelSeries(instance, ops);
}

test.skipIf(DEPLOY_TOOLS === undefined)(
  'NurselogModelsDiffer fires on two replicas whose models or data differ under one version, and not on two alike',
  async () => {
    const [first, alike, otherModels, otherSpecies] = await Promise.all([
      startReplica('a', () => {}),
      startReplica('b', () => {}),
      startReplica('c', (releases) => releases.replaceModels({ idleProducts: 1 })),
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
    expectModelsDiffer([{ series: [first!, alike!], isFiring: false }]);
    expectModelsDiffer([{ series: [first!, otherModels!], isFiring: true }]);
    expectModelsDiffer([{ series: [first!, otherSpecies!], isFiring: true }]);
  },
);

test.skipIf(!HAS_POSTGRES || DEPLOY_TOOLS === undefined)(
  'a rolling change of models over three replicas loses no request, raises NurselogModelsDiffer while it lasts and clears it',
  async () => {
    const database = await POSTGRES.create();
    const { secret } = await issueKey(database, 'hypha');
    const releases = releaseFolders();
    const [layout, ...replicas] = await Layout.start(database, 3, releases.environment);
    const load = new SteadyLoad(layout.url, secret, 4);
    const readSeries = () => Promise.all(replicas.map(({ address, ops }) => readModelSeries(address, ops)));
    await load.more(40);

    const stages = [{ series: await readSeries(), isFiring: false }];
    // Release 3 has the models of release 1 under another version, so that all requests remain valid.
    const version = releases.put(3);
    for (const [replaced, { process }] of replicas.entries()) {
      process.signal('SIGHUP');
      await process.line(reloadedTo(version));
      await load.more(40);
      stages.push({ series: await readSeries(), isFiring: replaced < replicas.length - 1 });
    }
    await load.stop();

    expect(load.failed).toEqual([]);
    expectModelsDiffer(stages);
  },
  300_000, // three starts and three reloads, which take long on a busy machine
);
