import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, describe, expect, test } from 'vitest';
import type { predictionResultSchema } from '../../src/http/response/schemas.js';
import { HORIZONS, PLANTING_METHODS } from '../../src/prediction/dimensions.js';
import { readPredictorData } from '../../testing/project.js';
import { gdal, HAS_GDAL } from '../support/gdal.js';
import { sharedService } from '../support/service.js';

type Prediction = ReturnType<typeof predictionResultSchema.parse>;

const BANDS = PLANTING_METHODS.flatMap((method) => HORIZONS.map((years) => `${method}_${years}`));
const ALL_BANDS = [...BANDS, ...BANDS.flatMap((band) => [`low_${band}`, `high_${band}`])];
/** More than one tile, and one overview. */
const COAST = '-124.2,43.4,-121.6,45.8';

const service = await sharedService({ REQUEST_TIMEOUT_MS: '120000' });
const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-geotiff-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function download(query: string): Promise<string> {
  const response = await service.get(`/v1/surfaces/PSME?f=tif&${query}`);
  expect(response.status).toBe(200);
  const file = path.join(folder, 'surface.tif');
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  return file;
}

interface Info {
  size: [width: number, height: number];
  geoTransform: [west: number, width: number, 0, north: number, 0, height: number];
  stac: { 'proj:epsg': number };
  metadata: Record<string, Record<string, string>>;
  bands: {
    block: number[];
    type: string;
    description: string;
    noDataValue: string;
    checksum: number;
    overviews?: { size: number[] }[];
  }[];
}

const infoOf = async (file: string) =>
  JSON.parse(await gdal('gdalinfo', ['-json', '-checksum', file], service.key)) as Info;

/** The pixels of each band by GDAL, from north to south. */
async function bandsOf(file: string, ...options: string[]): Promise<Float32Array[]> {
  const target = path.join(folder, 'bands.bin');
  await gdal('gdal_translate', ['-q', '-of', 'ENVI', '-co', 'INTERLEAVE=BSQ', ...options, file, target]);
  const values = new Float32Array(new Uint8Array(readFileSync(target)).buffer);
  const bands = (await infoOf(target)).bands.length;
  const length = values.length / bands;
  return Array.from({ length: bands }, (_, b) => values.subarray(b * length, (b + 1) * length));
}

describe.skipIf(!HAS_GDAL)('GeoTIFF by GDAL', () => {
  test('it has the survival of the surface in all cells with a point, NaN in the others, and says what it is', async () => {
    const query = `bbox=${COAST}&warming_c=2&seeds_per_spot=900`;
    const file = await download(query);
    const info = await infoOf(file);
    const { manifest } = readPredictorData();
    expect(info.metadata['']).toMatchObject({
      AREA_OR_POINT: 'Area',
      species_code: 'PSME',
      model_version: manifest.version,
      outcomes: manifest.outcomes,
      caution: manifest.caution,
      warming_c: '2',
      precipitation_change_percent: '0',
      seeds_per_spot: '900',
    });
    expect(info.metadata[''].model_digest).toMatch(/^[0-9a-f]{64}$/);
    expect(info.metadata[''].vegetation_control).toMatch(/^\d/);
    expect(info.metadata.IMAGE_STRUCTURE).toMatchObject({ COMPRESSION: 'DEFLATE', PREDICTOR: '3' });
    expect(info.bands.map(({ description }) => description)).toEqual(BANDS);
    const [width, height] = info.size;
    for (const { block, type, noDataValue, overviews: smaller } of info.bands) {
      expect([block, type, noDataValue]).toEqual([[256, 256], 'Float32', 'NaN']);
      expect(smaller?.map(({ size }) => size)).toEqual([[Math.ceil(width / 2), Math.ceil(height / 2)]]);
    }

    const arrow = await service.get(`/v1/surfaces/PSME?f=arrow&max_points=500000&${query}`);
    const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
    const [longitude, latitude] = ['longitude', 'latitude'].map((name) => table.getChild(name)!);
    const [west, step, , north] = info.geoTransform;
    let farthest = 0; // from the centre of a pixel to its point
    const cells = Array.from({ length: table.numRows }, (_, i) => {
      const [east, south] = [(longitude.get(i) - west) / step, (north - latitude.get(i)) / step];
      const [x, y] = [Math.floor(east), Math.floor(south)];
      farthest = Math.max(farthest, Math.abs(x + 0.5 - east) * step, Math.abs(y + 0.5 - south) * step);
      return y * width + x;
    });
    expect(farthest).toBeLessThan(0.000_005_1); // the coordinates of points have 5 decimals
    const [full, overviews] = [await bandsOf(file), await bandsOf(file, '-oo', 'OVERVIEW_LEVEL=0')];
    for (const [b, band] of BANDS.entries()) {
      const expected = new Float32Array(width * height).fill(Number.NaN);
      const survival = table.getChild(`survival_${band}`)!;
      cells.forEach((cell, i) => {
        expected[cell] = Number(survival.get(i).toFixed(4));
      });
      expect(full[b].findIndex((value, cell) => !Object.is(value, expected[cell]))).toBe(-1);

      const half = Math.ceil(width / 2);
      const means = Float32Array.from(overviews[b], (_, at) => {
        const [x, y] = [2 * (at % half), 2 * Math.floor(at / half)];
        const inside = [x, x + 1]
          .flatMap((column) =>
            [y, y + 1].map((row) => (column < width ? expected[row * width + column] : Number.NaN)),
          )
          .filter((value) => value >= 0);
        const sum = inside.reduce((total, value) => total + Math.round(value * 10_000), 0);
        return inside.length === 0 ? Number.NaN : Math.round(sum / inside.length) / 10_000;
      });
      expect(overviews[b].findIndex((value, cell) => !Object.is(value, means[cell]))).toBe(-1);
    }
  });

  test('with intervals and practice its values are those of predictions at the centres of its cells', async () => {
    const file = await download(
      'bbox=-122.3,44,-122.18,44.1&include=intervals,,intervals&vegetation_control=0.9',
    );
    const { size, geoTransform, bands } = await infoOf(file);
    expect(bands.map(({ description }) => description)).toEqual(ALL_BANDS);
    const values = await bandsOf(file);
    const cells = [...values[0].keys()].filter((cell) => !Number.isNaN(values[0][cell]));
    expect(cells.length).toBeGreaterThan(60);
    const requests = cells.flatMap((cell) =>
      PLANTING_METHODS.map((planting_method) => ({
        longitude: geoTransform[0] + ((cell % size[0]) + 0.5) * geoTransform[1],
        latitude: geoTransform[3] + (Math.floor(cell / size[0]) + 0.5) * geoTransform[5],
        species_code: 'PSME',
        planting_method,
        conditions: { vegetation_control: 0.9 },
        include: ['intervals'],
      })),
    );
    expect(requests.length).toBeLessThanOrEqual(500);
    const batch = await service.post('/v1/predict/batch', { requests });
    const { results } = (await batch.json()) as { results: Prediction[] };
    results.forEach(({ planting_method, predictions }, i) => {
      const cell = cells[Math.floor(i / PLANTING_METHODS.length)];
      for (const { horizon_years, survival_probability, interval } of predictions) {
        const name = `${planting_method}_${horizon_years}`;
        const at = (band: string) => Number(values[ALL_BANDS.indexOf(band)][cell].toFixed(4));
        expect([at(name), at(`low_${name}`), at(`high_${name}`)]).toEqual([
          survival_probability,
          interval!.low,
          interval!.high,
        ]);
      }
    });
  });

  test('GDAL opens the address itself: as a raster by range, as features and as lines', async () => {
    const url = `${service.apiUrl}/v1/surfaces/PSME?bbox=-122.3,44,-122,44.2`;
    const file = await download('bbox=-122.3,44,-122,44.2');
    const checksums = ({ bands }: Info) => bands.map(({ checksum }) => checksum);
    expect(checksums(await infoOf(`/vsicurl/${url}&f=tif`))).toEqual(checksums(await infoOf(file)));
    const { points } = (await (await service.get(new URL(url).pathname + new URL(url).search)).json()) as {
      points: number;
    };
    for (const source of [`/vsicurl/${url}&f=geojson`, `${url}&f=geojson`, `CSV:/vsicurl/${url}&f=csv`]) {
      const summary = await gdal('ogrinfo', ['-ro', '-so', '-al', source], service.key);
      expect(summary).toContain(`Feature Count: ${points}`);
    }
  });
});

test('a GeoTIFF has its directories first, then the overviews, the smallest first, then the full resolution', async () => {
  const bytes = readFileSync(await download(`bbox=${COAST}`));
  expect(bytes.subarray(0, 8)).toEqual(Buffer.from('49492a0008000000', 'hex'));
  const directories: Map<number, { count: number; at: number }>[] = [];
  const starts: number[] = [];
  for (let start = 8; start !== 0; ) {
    starts.push(start);
    const fields = bytes.readUInt16LE(start);
    const byTag = Array.from({ length: fields }, (_, i) => {
      const at = start + 2 + 12 * i;
      return [
        bytes.readUInt16LE(at),
        { count: bytes.readUInt32LE(at + 4), at: bytes.readUInt32LE(at + 8) },
      ] as const;
    });
    expect(byTag.map(([tag]) => tag)).toEqual(byTag.map(([tag]) => tag).toSorted((a, b) => a - b));
    directories.push(new Map(byTag));
    start = bytes.readUInt32LE(start + 2 + 12 * fields);
  }
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  expect(directories.length).toBeGreaterThan(1);
  const numbers = ({ count, at }: { count: number; at: number }) =>
    Array.from({ length: count }, (_, i) => bytes.readUInt32LE(at + 4 * i));
  const tiles = directories.toReversed().flatMap((fields) => {
    const [offsets, lengths] = [324, 325].map((tag) => numbers(fields.get(tag)!));
    return offsets.map((offset, i) => [offset, lengths[i]]);
  });
  for (const [i, [offset, length]] of tiles.entries())
    expect(offset + length).toBe(tiles[i + 1]?.[0] ?? bytes.length);
});
