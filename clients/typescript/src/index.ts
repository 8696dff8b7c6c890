export type { Progress, SiteResult } from './batch-sender.js';
export { type CallOptions, type ClientOptions, createClient, type NurselogClient } from './client.js';
export { NurselogError } from './nurselog-error.js';
export type { components, operations, paths } from './openapi.js';
export { type PredictAllOptions, predictAll, predictEach } from './predict-all.js';
export { DEFAULT_RETRY, type RetryPolicy } from './retry.js';
export type * from './types.js';
