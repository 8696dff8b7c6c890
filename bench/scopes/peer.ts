import { spread } from '../../testing/statistics.js';
import { asTable, costsInTurn, inBatches, randomSites, ratesOf } from '../bulk.js';
import { DATA_DIR, type Environment, MODEL_DIR } from '../environment.js';
import { checkAgreement } from '../peer/agreement.js';
import type { Row } from '../report.js';
import { startPeer, whyNoPeer } from '../servers/peer.js';
import { atLeast, figuresRow } from './rows.js';

/** As many as one table may have. */
const TABLE_SITES = 200_000;
const MEGABYTE = 1024 * 1024;

/** The same service in Python, if there is a Python with its packages. */
export async function peer(environment: Environment): Promise<Row[]> {
  const why = whyNoPeer();
  if (why !== undefined) return [{ scope: 'peer', what: `left out: ${why}`, figures: {} }];

  const nurselog = await environment.nurselog();
  const python = await startPeer(DATA_DIR, MODEL_DIR);
  try {
    const compared = await checkAgreement(nurselog, python, DATA_DIR);
    environment.progress(`peer: ${compared} answers agree with nurselog's`);
    const against = (workload: 'batch' | 'single', connections: number) =>
      environment.measure([
        { name: 'nurselog', server: nurselog, workload, connections },
        { name: 'Python peer', server: python, workload, connections },
      ]);
    const [batches, peerBatches] = await against('batch', 8);
    const batchRatio = batches!.sitesPerSecond.median / peerBatches!.sitesPerSecond.median;
    const [singles, peerSingles] = await against('single', 64);
    const singleRatio = singles!.requestsPerSecond.median / peerSingles!.requestsPerSecond.median;
    const sites = randomSites(TABLE_SITES);
    const costs = await costsInTurn(
      [
        { server: nurselog, send: asTable(sites, 'Arrow') },
        { server: python, send: inBatches(sites, 8) },
      ],
      TABLE_SITES,
      (round) => environment.progress(`peer: a table, ${round}`),
    );
    const [tables, inPeerBatches] = costs.map(ratesOf);
    const tableRatio = spread(tables.map((rate, round) => rate / inPeerBatches[round])).median;
    const memory = async (name: string, server: typeof python) => ({
      scope: 'peer',
      what: `${name}, afterwards`,
      figures: { 'ready ms': server.readyMs, 'memory MB': (await server.usage()).residentBytes / MEGABYTE },
    });
    return [
      figuresRow('peer', batches!, atLeast(batchRatio, 10, "sites/s over the Python peer's")),
      figuresRow('peer', peerBatches!),
      figuresRow('peer', singles!, atLeast(singleRatio, 4, "requests/s over the Python peer's")),
      figuresRow('peer', peerSingles!),
      {
        scope: 'peer',
        what: `nurselog, a table of ${TABLE_SITES.toLocaleString('en')} sites in Arrow`,
        figures: { 'sites/s': spread(tables) },
        target: atLeast(tableRatio, 10, "sites/s over the Python peer's, in batches at 8 connections"),
      },
      {
        scope: 'peer',
        what: 'Python peer, the same sites',
        figures: { 'sites/s': spread(inPeerBatches) },
      },
      await memory('nurselog', nurselog),
      await memory('Python peer', python),
    ];
  } finally {
    await python.stop();
  }
}
