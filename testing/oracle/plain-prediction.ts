import '../../src/prediction/model/no-telemetry.js';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Table, tableFromIPC } from 'apache-arrow';
import KDBush from 'kdbush';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type PlainOptions, plainFeatures } from './plain-climate.js';
import { type Polygon, polygonContains } from './plain-coverage.js';
import { explanation, includes, type PlainFeature, rounded, siteDetails } from './plain-details.js';
import { type PlainError, plainErrors, plainInterval } from './plain-intervals.js';
import { greatCircleKm, nearestPoint } from './plain-nearest-point.js';

export interface PlainRequest extends PlainOptions {
  readonly latitude: number;
  readonly longitude: number;
  readonly species_code: string;
  readonly planting_method: string;
  readonly horizons?: readonly number[];
}

export type PlainComparison = Omit<PlainRequest, 'planting_method'>;

/** An answer as its JSON has it, or the code of the error that is one. */
export type PlainAnswer =
  | object
  | 'invalid_species'
  | 'invalid_method'
  | 'outside_coverage'
  | 'no_nearby_data'
  | 'elevation_mismatch';

interface Manifest {
  readonly version: string;
  readonly codename: string;
  readonly series: string;
  readonly horizons: readonly number[];
  readonly species: readonly string[];
  readonly features: readonly (PlainFeature & { readonly error?: PlainError })[];
  readonly interval_level: number | null;
  readonly methods: Readonly<Record<string, PlainMethod>>;
}

interface PlainMethod {
  readonly file: string;
  /** By species and feature. */
  readonly averages: readonly (readonly number[])[];
  readonly intervals?: { readonly file: string };
}

interface Species {
  readonly species_code: string;
  readonly common_name: string;
}

interface Prediction {
  readonly horizon_years: number;
  readonly survival_probability: number;
  readonly risk_factors: readonly { factor: string; impact: string; magnitude: number }[];
}

/** A matched site: its object in the answer, and the inputs of the models. */
interface Match {
  readonly site: object;
  readonly features: Float32Array;
  readonly errors: Float32Array;
}

/** Repeats a row four times, because onnxruntime computes fewer rows with instructions whose last bits differ. */
function fourTimes(row: Float32Array): Tensor {
  return new Tensor(
    'float32',
    Array(4)
      .fill([...row])
      .flat(),
    [4, row.length],
  );
}

/**
 * The service's predictions in a straightforward way: one thread, one row at a time, plain objects. The oracle of the
 * tests and the naive side of the benchmark, so it takes nothing from `src`.
 */
export class PlainPredictor {
  constructor(
    private readonly index: KDBush,
    private readonly polygons: readonly Polygon[],
    private readonly points: readonly { latitude: number; longitude: number; region: string }[],
    /** The values of each variable of the grid at all points, by name. */
    private readonly variables: Readonly<Record<string, Float64Array>>,
    private readonly species: readonly Species[],
    private readonly manifest: Manifest,
    private readonly sessions: Readonly<Record<string, InferenceSession>>,
    private readonly intervalSessions: Readonly<Record<string, InferenceSession>>,
    private readonly searchRadiusKm: number,
  ) {}

  /** The answer to a body of POST /v1/predict, whose shape must be valid. */
  async predict(request: PlainRequest, generatedAt = new Date()): Promise<PlainAnswer> {
    const species = this.species.find(({ species_code }) => species_code === request.species_code);
    if (species === undefined) return 'invalid_species';
    if (!Object.hasOwn(this.sessions, request.planting_method)) return 'invalid_method';
    const match = this.match(request);
    if (typeof match === 'string') return match;
    return {
      site: match.site,
      species_code: species.species_code,
      species_common_name: species.common_name,
      planting_method: request.planting_method,
      predictions: await this.predictions(match, request.planting_method, request),
      model: this.model(),
      generated_at: generatedAt.toISOString(),
    };
  }

  /** The answer to a body of POST /v1/predict/compare, whose shape must be valid. */
  async compare(request: PlainComparison, generatedAt = new Date()): Promise<PlainAnswer> {
    const species = this.species.find(({ species_code }) => species_code === request.species_code);
    if (species === undefined) return 'invalid_species';
    const match = this.match(request);
    if (typeof match === 'string') return match;
    const manual = await this.predictions(match, 'manual', request);
    const droneSeeded = await this.predictions(match, 'drone_seeded', request);
    const draws = includes(request, 'intervals')
      ? {
          manual: await this.draws(match, 'manual', request),
          droneSeeded: await this.draws(match, 'drone_seeded', request),
        }
      : undefined;
    return {
      site: match.site,
      species_code: species.species_code,
      species_common_name: species.common_name,
      comparison: { manual: { predictions: manual }, drone_seeded: { predictions: droneSeeded } },
      method_differential: manual.map(({ horizon_years, survival_probability }, i) => {
        const manual_advantage = rounded(survival_probability - droneSeeded[i].survival_probability, 4);
        if (draws === undefined) return { horizon_years, manual_advantage };
        const h = this.manifest.horizons.indexOf(horizon_years);
        const differences = draws.manual[h].map((draw, world) => draw - draws.droneSeeded[h][world]);
        const interval = plainInterval(this.manifest.interval_level!, differences, manual_advantage);
        return { horizon_years, manual_advantage, interval };
      }),
      model: this.model(),
      generated_at: generatedAt.toISOString(),
    };
  }

  private match(
    request: PlainComparison,
  ): Match | 'outside_coverage' | 'no_nearby_data' | 'elevation_mismatch' {
    const { latitude, longitude, elevation_m } = request;
    if (!this.polygons.some((polygon) => polygonContains(polygon, longitude, latitude)))
      return 'outside_coverage';
    const point = nearestPoint(this.index, longitude, latitude, this.searchRadiusKm);
    if (point === undefined) return 'no_nearby_data';
    const elevation = this.variables.elevation[point];
    if (elevation_m !== undefined && Math.abs(elevation_m - elevation) > 1000) return 'elevation_mismatch';
    const matched = this.points[point];
    const distanceKm = greatCircleKm(longitude, latitude, matched.longitude, matched.latitude);
    const site = {
      latitude,
      longitude,
      matched_latitude: rounded(matched.latitude, 5),
      matched_longitude: rounded(matched.longitude, 5),
      match_distance_km: rounded(distanceKm, 3),
      region: matched.region,
    };
    const names = this.manifest.features.map(({ name }) => name);
    const defaults = new Map(this.manifest.features.map((feature) => [feature.name, feature.default]));
    const column = (name: string) => this.variables[name]?.[point] ?? defaults.get(name);
    const values = plainFeatures(names, column, request);
    const unchanged = plainFeatures(names, column, { ...request, scenario: {} });
    const errors = plainErrors(this.manifest.features, unchanged, column, distanceKm, request);
    const features = Float32Array.from(names, (name) => values[name]);
    if (includes(request, 'site')) {
      const species = this.manifest.species.indexOf(request.species_code);
      const ranges = this.variables.native_ranges[point];
      Object.assign(site, siteDetails(this.manifest.features, features, elevation, ranges, species));
    }
    return { site, features, errors };
  }

  private async predictions(match: Match, method: string, request: PlainComparison): Promise<Prediction[]> {
    const { species_code, horizons = this.manifest.horizons } = request;
    const { features: inputs } = match;
    const species = this.manifest.species.indexOf(species_code);
    const draws = includes(request, 'intervals') ? await this.draws(match, method, request) : undefined;
    const output = await this.sessions[method].run({
      features: fourTimes(inputs),
      species: new Tensor('int64', Array(4).fill(BigInt(species)), [4]),
    });
    const survival = output.survival!.data as Float32Array;
    const baseline = output.baseline!.data as Float32Array;
    const contributions = output.contributions!.data as Float32Array;
    const averages = this.manifest.methods[method].averages[species];
    return this.manifest.horizons.flatMap((years, h) => {
      if (!horizons.includes(years)) return [];
      const ofHorizon = contributions.subarray(h * inputs.length, (h + 1) * inputs.length);
      const probability = rounded(survival[h], 4);
      return {
        horizon_years: years,
        survival_probability: probability,
        risk_factors: this.riskFactors(ofHorizon),
        ...(draws && { interval: plainInterval(this.manifest.interval_level!, draws[h], probability) }),
        ...(includes(request, 'explanation') &&
          explanation(this.manifest.features, inputs, averages, baseline[h], ofHorizon, method)),
      };
    });
  }

  /** By horizon, the survival in each world. */
  private async draws(
    { features, errors }: Match,
    method: string,
    request: PlainComparison,
  ): Promise<number[][]> {
    const species = BigInt(this.manifest.species.indexOf(request.species_code));
    const { draws } = await this.intervalSessions[method].run({
      features: fourTimes(features),
      species: new Tensor('int64', Array(4).fill(species), [4]),
      errors: fourTimes(errors),
    });
    const values = [...(draws!.data as Float32Array)];
    const count = values.length / 4 / this.manifest.horizons.length;
    return this.manifest.horizons.map((_, h) => values.slice(h * count, (h + 1) * count));
  }

  private riskFactors(contributions: Float32Array) {
    return this.manifest.features
      .map(({ label, risk_factor }, feature) => ({
        label,
        risk_factor,
        impact: contributions[feature] < 0 ? 'negative' : 'positive',
        magnitude: rounded(Math.abs(contributions[feature]), 4),
      }))
      .filter(({ risk_factor }) => risk_factor)
      .sort((a, b) => b.magnitude - a.magnitude)
      .slice(0, 3)
      .map(({ label, impact, magnitude }) => ({ factor: label, impact, magnitude }));
  }

  private model() {
    const { version, codename, series } = this.manifest;
    return { version, codename, series };
  }
}

/** Reads a data and a model directory and opens the models. */
export async function createPlainPredictor(
  dataDir: string,
  modelDir: string,
  searchRadiusKm: number,
): Promise<PlainPredictor> {
  const readJson = (directory: string, name: string) =>
    JSON.parse(readFileSync(path.join(directory, name), 'utf8'));
  const manifest = readJson(modelDir, 'manifest.json') as Manifest;
  const outlines = readJson(dataDir, 'regions.geojson') as {
    features: { geometry: { coordinates: Polygon[] } }[];
  };
  const grid = tableFromIPC(readFileSync(path.join(dataDir, 'grid.arrow')));
  const column = (name: string) => grid.getChild(name)!.toArray();
  const regions = JSON.parse(grid.schema.metadata.get('regions')!) as string[];
  const lattice = JSON.parse(grid.schema.metadata.get('lattice')!) as Lattice;
  const latitude = degrees(column('row'), lattice.south, lattice.steps_per_degree);
  const longitude = degrees(column('column'), lattice.west, lattice.steps_per_degree);
  const region = column('region');

  const index = new KDBush(grid.numRows);
  for (let i = 0; i < grid.numRows; i++) index.add(longitude[i], latitude[i]);
  index.finish();

  const open = (file: string) =>
    InferenceSession.create(path.join(modelDir, file), { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const sessions: Record<string, InferenceSession> = {};
  const intervalSessions: Record<string, InferenceSession> = {};
  for (const [method, { file, intervals }] of Object.entries(manifest.methods)) {
    sessions[method] = await open(file);
    if (intervals !== undefined) intervalSessions[method] = await open(intervals.file);
  }
  return new PlainPredictor(
    index,
    outlines.features.flatMap(({ geometry }) => geometry.coordinates),
    Array.from({ length: grid.numRows }, (_, i) => ({
      latitude: latitude[i],
      longitude: longitude[i],
      region: regions[region[i]],
    })),
    variablesOf(grid),
    readJson(dataDir, 'species.json') as Species[],
    manifest,
    sessions,
    intervalSessions,
    searchRadiusKm,
  );
}

/** The values of every variable of the grid; those of other columns are their integers. */
function variablesOf(grid: Table): Record<string, Float64Array> {
  const columns = grid.schema.fields.map(({ name, metadata }) => {
    const [scale, offset] = [Number(metadata.get('scale') ?? 1), Number(metadata.get('offset') ?? 0)];
    const integers = grid.getChild(name)!.toArray() as ArrayLike<number>;
    return [name, Float64Array.from(integers, (integer) => offset + scale * integer)] as const;
  });
  return Object.fromEntries(columns);
}

interface Lattice {
  readonly south: number;
  readonly west: number;
  readonly steps_per_degree: number;
}

/** The coordinates of rows or columns of the lattice, with 5 decimals. */
function degrees(steps: ArrayLike<number>, start: number, stepsPerDegree: number): number[] {
  return Array.from(steps, (step) => rounded(start + (step + 0.5) / stepsPerDegree, 5));
}
