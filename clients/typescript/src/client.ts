import createOpenApiClient, { type Client, type Middleware } from 'openapi-fetch';
import { abortable } from './abortable.js';
import { errorOfResponse } from './nurselog-error.js';
import type { paths } from './openapi.js';
import { DEFAULT_RETRY, type RetryPolicy, retryingFetch } from './retry.js';
import type {
  BatchResult,
  ComparedSite,
  ComparisonResult,
  Coverage,
  PlanRequest,
  PlanResult,
  PredictionResult,
  RankedPlace,
  RankingResult,
  ServedModel,
  Site,
  SpeciesList,
  Surface,
  SurfaceQuery,
  Usage,
} from './types.js';

export interface ClientOptions {
  /** Where the service is, such as `https://trees.example.org`. In Node, NURSELOG_URL by default. */
  readonly url?: string | undefined;
  /** In Node, NURSELOG_API_KEY by default. */
  readonly apiKey?: string | undefined;
  /** Settings that differ from DEFAULT_RETRY; undefined ones do not. */
  readonly retry?: { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined } | undefined;
}

export interface CallOptions {
  /** Aborts the call, its retries and its waits. */
  readonly signal?: AbortSignal | undefined;
}

/** The endpoints of nurselog. Every method throws NurselogError for a failure, and the signal's reason if it aborts. */
export interface NurselogClient {
  predict(site: Site, options?: CallOptions): Promise<PredictionResult>;
  /** At most the tier's batch size of sites; predictAll has no such limit. */
  predictBatch(sites: readonly Site[], options?: CallOptions): Promise<BatchResult>;
  compare(site: ComparedSite, options?: CallOptions): Promise<ComparisonResult>;
  /** Species and planting methods at one place, best first. */
  rank(place: RankedPlace, options?: CallOptions): Promise<RankingResult>;
  /** The survival of one species at the data points, as columns: for maps. */
  surface(speciesCode: string, query?: SurfaceQuery, options?: CallOptions): Promise<Surface>;
  /** Species and methods for planting units, at most as many as the tier's batch size. */
  plan(request: PlanRequest, options?: CallOptions): Promise<PlanResult>;
  species(options?: CallOptions): Promise<SpeciesList>;
  coverage(options?: CallOptions): Promise<Coverage>;
  model(options?: CallOptions): Promise<ServedModel>;
  usage(options?: CallOptions): Promise<Usage>;
  /** The same endpoints as openapi-fetch has them: with headers and status, and errors that are not thrown. */
  readonly http: Client<paths, 'application/json'>;
}

/** @throws TypeError if the URL or the key is missing or malformed */
export function createClient(options: ClientOptions = {}): NurselogClient {
  const url = options.url ?? environmentVariable('NURSELOG_URL');
  const apiKey = options.apiKey ?? environmentVariable('NURSELOG_API_KEY');
  if (!url) throw new TypeError('The URL of nurselog is missing: set url, or in Node NURSELOG_URL.');
  if (!apiKey) throw new TypeError('The API key is missing: set apiKey, or in Node NURSELOG_API_KEY.');
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    const shown = JSON.stringify(url.replace(/nurse_live_.*/s, 'nurse_live_...')); // a key passed as the URL
    throw new TypeError(`The URL of nurselog must start with http:// or https://, not be ${shown}.`);
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw new TypeError('The URL of nurselog must have no user name and no password.');
  if (!/^[!-~]+$/.test(apiKey))
    throw new TypeError('The API key has characters that no key has, such as a space or a line break.');
  const retry = Object.entries(options.retry ?? {}).filter(([, value]) => value !== undefined);
  const http = createOpenApiClient<paths, 'application/json'>({
    baseUrl: url,
    headers: { 'X-API-Key': apiKey },
    querySerializer: { array: { style: 'form', explode: false } },
    // Databases and Parquet readers give integers as BigInt, which JSON.stringify refuses.
    bodySerializer: (body) =>
      JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
    fetch: retryingFetch({ ...DEFAULT_RETRY, ...Object.fromEntries(retry) }),
  });
  return {
    http,
    predict: (body, call) => resultOf(call, (init) => http.POST('/v1/predict', { body, ...init })),
    predictBatch: async (sites, call) => {
      const requests = [...sites];
      return resultOf(
        call,
        (init) => http.POST('/v1/predict/batch', { body: { requests }, ...init }),
        ({ results }) =>
          Array.isArray(results) && results.length === requests.length && results.every(isObject),
      );
    },
    compare: (body, call) => resultOf(call, (init) => http.POST('/v1/predict/compare', { body, ...init })),
    rank: (body, call) => resultOf(call, (init) => http.POST('/v1/predict/rank', { body, ...init })),
    surface: (species_code, query, call) =>
      resultOf(call, (init) =>
        http.GET('/v1/surfaces/{species_code}', {
          params: { path: { species_code }, ...(query && { query }) },
          ...init,
        }),
      ),
    plan: (body, call) => resultOf(call, (init) => http.POST('/v1/plan', { body, ...init })),
    species: (call) => resultOf(call, (init) => http.GET('/v1/species', init)),
    coverage: (call) => resultOf(call, (init) => http.GET('/v1/coverage', init)),
    model: (call) => resultOf(call, (init) => http.GET('/v1/model', init)),
    usage: (call) => resultOf(call, (init) => http.GET('/v1/usage', init)),
  };
}

interface Fetched<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/**
 * The body of a successful response, which must be an object.
 * @param isAnswer checks the object further; by default any object is accepted
 * @throws NurselogError for a failure or another body, or the reason of the signal
 */
async function resultOf<Data>(
  { signal }: CallOptions = {},
  send: (init: { signal: AbortSignal; middleware: Middleware[] }) => Promise<Fetched<Data>>,
  isAnswer: (data: Data) => boolean = () => true,
): Promise<Data> {
  let received: Response | undefined;
  const keepResponse: Middleware = {
    onResponse({ response }) {
      received = response;
    },
  };
  const { data, error, response } = await abortable(signal, (own) =>
    send({ signal: own, middleware: [keepResponse] }),
  ).catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError) || received === undefined) throw cause;
    throw errorOfResponse(undefined, received, cause); // not JSON
  });
  if (!isObject(data) || !isAnswer(data)) throw errorOfResponse(error, response);
  return data;
}

function isObject<Value>(value: Value): value is Value & object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A variable of the environment in Node, undefined elsewhere. */
function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
