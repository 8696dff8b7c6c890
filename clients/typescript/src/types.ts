import type { components, paths } from './openapi.js';

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;
type Post<Path extends keyof paths> = Exclude<paths[Path]['post'], undefined>;
type RequestOf<Path extends keyof paths> =
  Post<Path> extends { requestBody: infer Body } ? Json<Body> : never;

/**
 * A site with a species and a planting method. The service ignores fields of your own: TypeScript accepts them in
 * variables, not in object literals.
 */
export type Site = RequestOf<'/v1/predict'>;
/** A site with a species. */
export type ComparedSite = RequestOf<'/v1/predict/compare'>;

/** A place, with the species and methods to rank there. */
export type RankedPlace = RequestOf<'/v1/predict/rank'>;
type SurfaceParameters = paths['/v1/surfaces/{species_code}']['get']['parameters'];
/** The box, the most points, the changed climate and the practice of a surface. For other formats use `http`. */
export type SurfaceQuery = Omit<NonNullable<SurfaceParameters['query']>, 'f' | 'include'>;
/** Planting units with the options of a plan. */
export type PlanRequest = RequestOf<'/v1/plan'>;

type Schemas = components['schemas'];
export type PredictionResult = Schemas['PredictionResult'];
export type BatchResult = Schemas['BatchResult'];
export type ComparisonResult = Schemas['ComparisonResult'];
export type RankingResult = Schemas['RankingResult'];
export type Surface = Schemas['Surface'];
export type PlanResult = Schemas['PlanResult'];
export type SpeciesList = Schemas['SpeciesList'];
export type Coverage = Schemas['Coverage'];
export type ServedModel = Schemas['ServedModel'];
export type Usage = Schemas['Usage'];

type ServiceError = Schemas['ErrorObject'];

/**
 * The service's error codes and two of the client: `connection_failed` (no answer arrived, even after retries) and
 * `unexpected_response` (the answer is not one of the service: a proxy's page, for example).
 */
export type ErrorCode = ServiceError['code'] | 'connection_failed' | 'unexpected_response';

/** Why a site has no prediction. */
export interface SiteError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A site that failed: by itself, or with its batch. A coordinate is null if it was not a number. */
export interface FailedSite {
  readonly error: SiteError;
  readonly latitude: number | null;
  readonly longitude: number | null;
}
