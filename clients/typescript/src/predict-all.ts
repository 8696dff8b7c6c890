import { firstOf } from './abortable.js';
import { BatchReader } from './batch-reader.js';
import { BatchSender, type Progress, type SiteResult } from './batch-sender.js';
import type { CallOptions, NurselogClient } from './client.js';
import type { Site } from './types.js';

/** The batch size of the largest tier. */
const MAX_BATCH_SIZE = 500;

export interface PredictAllOptions extends CallOptions {
  /** Sites per request, 500 by default; smaller where the key's tier or the size of the body requires it. */
  readonly batchSize?: number;
  /** Requests at the same time, 4 by default. */
  readonly concurrency?: number;
  /** Called after each batch. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What predictEach waits for: sites that were read, or sites with their results. */
type Arrived<OneSite> = { readonly batch: OneSite[] } | { readonly results: [OneSite, SiteResult][] };

/**
 * Predicts any number of sites, in batches.
 * @returns one result or error for each site, in the order of the sites
 * @throws what predictEach throws
 */
export async function predictAll(
  client: NurselogClient,
  sites: Iterable<Site> | AsyncIterable<Site>,
  options?: PredictAllOptions,
): Promise<SiteResult[]> {
  const results: SiteResult[] = [];
  for await (const [, result] of predictEach(client, sites, options)) results.push(result);
  return results;
}

/**
 * Like predictAll, for more sites than fit into memory. Yields each site with its result, in the order of the sites.
 * Reads ahead as many sites as `concurrency` requests hold. Leaving the loop aborts the requests.
 *
 * A failed request is an error of each of its sites. If it says that later ones would fail, too (key, quota, no
 * connection after all retries), the remaining sites get the same error without being sent.
 * @throws the signal's reason if it aborts, RangeError for an invalid option, and what reading the sites throws
 */
export async function* predictEach<OneSite extends Site>(
  client: NurselogClient,
  sites: Iterable<OneSite> | AsyncIterable<OneSite>,
  options: PredictAllOptions = {},
): AsyncGenerator<[site: OneSite, result: SiteResult], void, undefined> {
  const { batchSize = MAX_BATCH_SIZE, concurrency = 4, signal, onProgress } = options;
  assertPositiveInteger('batchSize', batchSize);
  assertPositiveInteger('concurrency', concurrency);
  signal?.throwIfAborted();
  const own = new AbortController();
  const abort = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });

  const sender = new BatchSender(client, batchSize, own.signal, onProgress);
  const reader = new BatchReader(sites);
  let reading: Promise<Arrived<OneSite>> | undefined;
  let isAllRead = false;
  const pending: Promise<Arrived<OneSite>>[] = [];
  try {
    while (!isAllRead || pending.length > 0) {
      if (!isAllRead && pending.length < concurrency)
        reading ??= reader.read(() => sender.batchSize).then((batch) => ({ batch }));
      const awaited = [reading, pending[0]].filter((each) => each !== undefined);
      const first = await firstOf(own.signal, awaited);
      if ('results' in first) {
        pending.shift();
        yield* first.results;
        continue;
      }
      reading = undefined;
      isAllRead = first.batch.length === 0;
      if (isAllRead) continue;
      const answer = sender.predict(first.batch).then((results) => ({ results }));
      answer.catch(() => {}); // thrown when its turn comes, if the loop gets there
      pending.push(answer);
    }
  } catch (error) {
    await reader.end().catch(() => {}); // the first error is the one to throw
    throw error;
  } finally {
    own.abort();
    signal?.removeEventListener('abort', abort);
    await reader.end();
  }
}

function assertPositiveInteger(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1)
    throw new RangeError(`${name} must be a positive integer, not ${value}.`);
}
