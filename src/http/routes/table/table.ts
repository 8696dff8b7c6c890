import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { TableMediaType } from '../../../formats/table/table-request.js';
import { SharedMemory, type SharedRange } from '../../../work/memory/shared-memory.js';
import { checkTable, type TableOptions } from '../../../work/table-answer.js';
import { readUpload } from '../../body/upload.js';
import type { Endpoint } from '../../openapi/endpoint.js';
import { takeMemory } from '../../request-memory.js';
import { connectionOf } from '../../server/connection.js';
import { beforeFirstByte, openSteps, sendChunks } from '../answer-from-workers.js';
import type { RouteContext } from '../context.js';
import { readBodyHead, readHead, tableQuerySchema } from './table-head.js';

const tables: Record<TableMediaType, z.ZodType> = {
  'text/csv': z.string().meta({
    id: 'CsvTable',
    description: 'CSV (RFC 4180) with a header line, in UTF-8.',
    examples: ['latitude,longitude,species_code,planting_method\n44.12,-122.03,PSME,manual\n'],
  }),
  'application/x-ndjson': z.string().meta({
    id: 'NdjsonTable',
    description: 'One JSON object per line, in UTF-8.',
    examples: ['{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual"}\n'],
  }),
  'application/vnd.apache.arrow.stream': z
    .string()
    .meta({ id: 'ArrowTable', format: 'binary', description: 'A stream in the Apache Arrow IPC format.' }),
};

export const tableEndpoint: Endpoint = {
  path: '/v1/predict/table',
  id: 'predictTable',
  summary: 'Predict survival for a file of sites',
  description:
    'Required columns: `latitude`, `longitude`, `species_code`, `planting_method`. Optional columns: ' +
    '`elevation_m` and practice (`vegetation_control`, `overstory_cover`, `seeds_per_spot`). The response ' +
    'has all columns of the request, then the matched point, survival and risk factors for each horizon, ' +
    'and `error_code` and `error_message` of failed rows. `Accept` selects one of the same three formats. ' +
    'The response is sent while rows are predicted: if it is truncated, it ends without the last chunk. ' +
    'The request may have `Content-Encoding: gzip`.',
  query: ({ assumptions }) => tableQuerySchema(assumptions),
  request: () => tables,
  response: tables,
  errors: ['batch_too_large', 'not_acceptable', 'overloaded'],
};

/** The share of the request timeout over which the speed of an upload is averaged. */
const WINDOW_SHARE = 1 / 2;

/**
 * The number of request timeouts without progress after which an answer is cut off. The system buffers up to 4 MB and
 * reports progress when a third of that is free: with a timeout of 10 s, 16 KiB a second are fast enough.
 */
const IDLE_FACTOR = 8;

/** The most chunks of a table in progress: their answers wait in memory until they are sent. */
const MAX_CHUNKS_UNDER_WAY = 8;

/**
 * The memory that an open table is charged in addition to its body, for the answers to some chunks of 2,000 rows; or
 * OPEN_TABLE_SHARE times its body, if that is less.
 */
const OPEN_TABLE_BYTES = 5 * 2 ** 20;
const OPEN_TABLE_SHARE = 50;

const openBytes = (bodyBytes: number) => bodyBytes + Math.min(OPEN_TABLE_BYTES, OPEN_TABLE_SHARE * bodyBytes);

let tableCount = 0;

/** POST /v1/predict/table: a table of sites in and out. */
export function tableRoute(
  app: FastifyInstance,
  { config, serving, metrics, memory: budget }: RouteContext,
): void {
  const { requestTimeoutMs: timeoutMs } = config;
  const memory = new SharedMemory();

  app.removeAllContentTypeParsers();
  app.addHook('preParsing', async (request, reply) => {
    const { bytes } = readHead(request, config, serving.current).body;
    request.state.keepMemory = takeMemory(budget, openBytes(bytes), reply);
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const head = readBodyHead(request, config);
    const connection = connectionOf(request.raw);
    connection.exemptFromTimeout();
    connection.sendContinue();
    const range = memory.take(head.bytes);
    try {
      const body = Buffer.from(range.memory, range.at, range.length);
      const length = await readUpload(payload, head, body, WINDOW_SHARE * timeoutMs);
      request.state.keepMemory?.(openBytes(length));
      return memory.shorten(range, length);
    } catch (error) {
      memory.release(range);
      throw error;
    }
  });

  app.post<{ Body: SharedRange }>(tableEndpoint.path, async (request, reply) => {
    const generation = serving.current;
    const steps = openSteps(reply, generation, () => memory.release(request.body));
    const asked = readHead(request, config, generation); // again: the models may have changed since `preParsing`
    const connection = connectionOf(request.raw);
    const table = { id: tableCount++, body: request.body, request: asked.request };
    const options: TableOptions = {
      chunksUnderWay: Math.min(generation.workers.size + 1, MAX_CHUNKS_UNDER_WAY),
      timeoutMs,
      onRows: (outcomes) => {
        for (const [outcome, rows] of outcomes) metrics.sites.inc({ outcome }, rows);
      },
    };
    // The check of a table may have to wait long for others, without traffic on the connection.
    connection.setTimeout(0);
    const start = async () => {
      const answer = await checkTable(table, steps, options).finally(
        () => connection.setTimeout(IDLE_FACTOR * timeoutMs), // until Node sets its own for the next request
      );
      request.state.sites = answer.rowCount;
      return answer.start();
    };
    const bytes = await beforeFirstByte(reply, steps, start);
    reply.header('model-outcomes', generation.data.manifest.outcomes);
    return sendChunks(reply, asked.outputType, bytes, steps, 'a table');
  });
}
