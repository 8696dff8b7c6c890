import type { NurselogClient } from './client.js';
import { NurselogError } from './nurselog-error.js';
import type { FailedSite, PredictionResult, Site, SiteError } from './types.js';

/** How many sites have a result or an error, and how many of these an error. */
export interface Progress {
  readonly completed: number;
  readonly failed: number;
}

/** The prediction for a site or, with `error`, why it has none. */
export type SiteResult = PredictionResult | FailedSite;

/** Sends batches of sites, and adapts the later ones to the errors of the earlier. */
export class BatchSender {
  /** The most sites of a batch, lowered when the tier allows fewer. */
  batchSize: number;
  /** An error that concerns all batches: later ones get it without being sent. */
  #lastError: NurselogError | undefined;
  #completed = 0;
  #failed = 0;
  readonly #client: NurselogClient;
  readonly #signal: AbortSignal;
  readonly #onProgress: ((progress: Progress) => void) | undefined;

  constructor(
    client: NurselogClient,
    batchSize: number,
    signal: AbortSignal,
    onProgress: ((progress: Progress) => void) | undefined,
  ) {
    this.#client = client;
    this.batchSize = batchSize;
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /** The sites with their results; several requests if the batch is too large. */
  async predict<OneSite extends Site>(sites: readonly OneSite[]): Promise<[OneSite, SiteResult][]> {
    let size = this.batchSize;
    if (sites.length <= size) {
      const results = await this.#send(sites);
      if (typeof results !== 'number') return sites.map((site, i) => [site, results[i]]);
      size = results;
    }
    const parts: [OneSite, SiteResult][] = [];
    while (parts.length < sites.length)
      parts.push(...(await this.predict(sites.slice(parts.length, parts.length + size))));
    return parts;
  }

  /** @returns the results or, if the batch was too large, the size of smaller ones */
  async #send(sites: readonly Site[]): Promise<readonly SiteResult[] | number> {
    if (this.#lastError !== undefined) return this.#complete(failAll(sites, this.#lastError));
    try {
      const batch = await this.#client.predictBatch(sites, { signal: this.#signal });
      return this.#complete(batch.results);
    } catch (error) {
      if (!(error instanceof NurselogError)) throw error;
      const smaller = smallerSize(error, sites.length);
      if (smaller !== undefined) {
        // The tier's limit holds for every batch, that of the body for this one.
        if (error.code === 'batch_too_large') this.batchSize = Math.min(this.batchSize, smaller);
        return smaller;
      }
      if (isLasting(error)) this.#lastError = error;
      return this.#complete(failAll(sites, error));
    }
  }

  #complete(results: readonly SiteResult[]): readonly SiteResult[] {
    this.#completed += results.length;
    this.#failed += results.filter((result) => 'error' in result).length;
    this.#onProgress?.({ completed: this.#completed, failed: this.#failed });
    return results;
  }
}

/** The size that a batch should have had; undefined if it did not fail for its size. */
function smallerSize({ code, details }: NurselogError, size: number): number | undefined {
  const limit = code === 'batch_too_large' ? Number(details?.tier_limit) : Math.ceil(size / 2);
  const isTooLarge = code === 'batch_too_large' || code === 'payload_too_large';
  return isTooLarge && limit >= 1 && limit < size ? limit : undefined;
}

/** Whether other batches would fail, too: all errors but those of a batch's own content. */
function isLasting({ status }: NurselogError): boolean {
  return status === undefined || ![400, 408, 413, 422, 500].includes(status);
}

function failAll(sites: readonly Site[], { code, message, details }: NurselogError): FailedSite[] {
  const error: SiteError = { code, message, ...(details && { details }) };
  // Null coordinates, as from the service: a site may be anything at run time.
  return sites.map((site: Partial<Site> | null) => ({
    error,
    latitude: numberOrNull(site?.latitude),
    longitude: numberOrNull(site?.longitude),
  }));
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
