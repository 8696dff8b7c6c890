import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SCENARIO } from '../../../formats/request/options.js';
import { Cancellation } from '../../../formats/table/cancellation.js';
import type { TableMediaType } from '../../../formats/table/table-contract.js';
import { HORIZONS } from '../../../prediction/dimensions.js';
import { MemoryBudget } from '../../../work/admission.js';
import type { Generation } from '../../../work/generation.js';
import { JobError } from '../../../work/job.js';
import { SharedMemory, type SharedRange } from '../../../work/shared-memory.js';
import { readUpload } from '../../body/upload.js';
import { closedBeforeTable } from '../../errors/common-errors.js';
import type { Endpoint } from '../../openapi/document.js';
import { sendStream } from '../../response/compression.js';
import { connectionOf } from '../../server/connection.js';
import { callerOf } from '../../server/request-state.js';
import { failureError, takeMemory } from '../../submitter.js';
import type { RouteContext } from '../context.js';
import { TableAnswer } from './table-answer.js';
import { announcedBytesOf, isGzipped, limitBytesOf, readHead, type TableHead } from './table-head.js';

const tables: Record<TableMediaType, z.ZodType> = {
  'text/csv': z.string().meta({
    id: 'CsvTable',
    description: 'RFC 4180 with a header line, in UTF-8.',
    examples: ['latitude,longitude,species_code,planting_method\n44.12,-122.03,PSME,manual\n'],
  }),
  'application/x-ndjson': z.string().meta({
    id: 'NdjsonTable',
    description: 'A JSON object a line, in UTF-8.',
    examples: ['{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual"}\n'],
  }),
  'application/vnd.apache.arrow.stream': z
    .string()
    .meta({ id: 'ArrowTable', description: 'A stream of the Apache Arrow IPC format.' }),
};

const scenario = Object.fromEntries(
  SCENARIO.map(({ name, unit, minimum, maximum }) => [
    name,
    z.number().min(minimum).max(maximum).optional().describe(`A changed climate, in ${unit}.`),
  ]),
);

export const tableEndpoint: Endpoint = {
  path: '/v1/predict/table',
  id: 'predictTable',
  summary: 'Predict survival for a file of sites',
  description:
    'Columns `latitude`, `longitude`, `species_code`, `planting_method` and optionally `elevation_m`; others are kept. The ' +
    'answer has all of them and then ours: the matched point, for each horizon its survival and risk factors, and ' +
    '`error_code` and `error_message` of rows that fail. `Accept` chooses its format among the same three. It is sent while ' +
    'the rows are predicted for: one that breaks off ends without its last chunk. `Content-Encoding: gzip` is understood.',
  query: () =>
    z.object({
      horizons: z
        .array(z.literal([...HORIZONS]))
        .optional()
        .describe('Years; all three by default.'),
      include: z.array(z.literal('intervals')).optional().describe('What to add to the answer.'),
      ...scenario,
    }),
  request: () => tables,
  response: tables,
  errors: ['batch_too_large', 'not_acceptable', 'overloaded'],
};

/** The speed of an upload is averaged over this share of the request timeout. */
const WINDOW_SHARE = 1 / 2;

/** Bytes of an answer that wait for its caller, beside the rows of one job. */
const BUFFERED_BYTES = 64 * 1024;

/**
 * Request timeouts without progress after which an answer is cut off. The system reports progress when a third of what it
 * buffers is free, and it buffers up to 4 MB: with 10 s, callers who read 16 KiB a second make progress in time.
 */
const IDLE_FACTOR = 8;

/** Jobs of a table that are under way at most: their answers wait in memory until they are sent. */
const MAX_JOBS_UNDER_WAY = 8;

/**
 * What an open table takes beside its body: the answers to some jobs of 2,000 rows. Small tables have fewer rows than a job:
 * a row takes so many times the bytes that it has in the body.
 */
const OPEN_TABLE_BYTES = 5 * 2 ** 20;
const OPEN_TABLE_SHARE = 50;

/** Where the content type says more than the media type. */
const CONTENT_TYPES: Partial<Record<TableMediaType, string>> = { 'text/csv': 'text/csv; charset=utf-8' };

let tableCount = 0;

/** POST /v1/predict/table: a table of sites in and out. */
export function tableRoute(app: FastifyInstance, { config, serving, metrics }: RouteContext): void {
  const { requestTimeoutMs: timeoutMs } = config;
  const budget = new MemoryBudget(config.tableMemoryBytes);
  const memory = new SharedMemory();

  app.removeAllContentTypeParsers();
  app.addHook('preParsing', async (request, reply) => {
    const asked = readHead(request, config, serving.current);
    const announcedBytes = asked.isGzip ? undefined : announcedBytesOf(request);
    const bytes = announcedBytes ?? limitBytesOf(request, config);
    takeMemory(budget, memoryOf(bytes), request, reply);
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const connection = connectionOf(request.raw);
    connection.exemptFromTimeout();
    connection.sendContinue();
    const isGzip = isGzipped(request);
    const limitBytes = limitBytesOf(request, config);
    const range = memory.take((isGzip ? undefined : announcedBytesOf(request)) ?? limitBytes);
    try {
      const length = await readUpload(payload, {
        isGzip,
        limitBytes,
        memory: Buffer.from(range.memory, range.at, range.length),
        windowMs: WINDOW_SHARE * timeoutMs,
      });
      return memory.shorten(range, length);
    } catch (error) {
      memory.release(range);
      throw error;
    }
  });
  /** Gives the memory of a body back when no worker reads it any more. */
  const release = async (range: SharedRange, answer: TableAnswer | undefined) => {
    await answer?.left();
    memory.release(range);
  };

  app.post<{ Body: SharedRange }>(tableEndpoint.path, async (request, reply) => {
    const generation = serving.current;
    let answer: TableAnswer | undefined;
    const closed = new Cancellation();
    const hangUp = () => closed.cancel();
    closed.onCancel(() => void release(request.body, answer));
    if (reply.raw.closed) closed.cancel();
    else reply.raw.once('close', hangUp);
    const asked = readHead(request, config, generation); // again: other models may serve since the body began to arrive
    const connection = connectionOf(request.raw);
    if (reply.raw.closed || connection.hasHungUp) throw closedBeforeTable();
    // A client that hangs up only ends its side: nothing else says so before something is sent to it.
    connection.once('hangup', hangUp);
    // The check of a table waits for others, however long: nothing moves on the connection meanwhile.
    connection.setTimeout(0);
    const cut = () => void connection.destroy();
    generation.tables.add(cut);
    closed.onCancel(() => generation.tables.delete(cut));
    void generation.keepOpen(() => new Promise<void>((resolve) => closed.onCancel(resolve)));
    const { memory: shared, at, length: bytes } = request.body;
    answer = new TableAnswer(
      { id: tableCount++, memory: shared, at, bytes, request: asked.request },
      {
        keyId: callerOf(request).id,
        scheduler: generation.batches,
        jobsUnderWay: Math.min(generation.workers.size + 1, MAX_JOBS_UNDER_WAY),
        timeoutMs,
        closed,
        onRows: (answered, failures) => {
          metrics.sites.inc({ outcome: 'answered' }, answered);
          for (const [outcome, rows] of failures) metrics.sites.inc({ outcome }, rows);
        },
      },
    );
    try {
      await answer.check();
      connection.setTimeout(IDLE_FACTOR * timeoutMs); // Node sets the usual one with the next request
      request.state.sites = answer.rowCount;
      await answer.start();
      if (answer.rowCount > 0) request.state.times = answer; // its times grow until the answer ends
      const parts = answer.bytes();
      const stream = Readable.from(parts, { objectMode: false, highWaterMark: BUFFERED_BYTES });
      stream.once('error', (error) => logFailure(request, error, closed));
      return sendTable(request, reply, stream, asked, generation);
    } catch (error) {
      connection.setTimeout(IDLE_FACTOR * timeoutMs);
      const hasHungUp = closed.isCancelled;
      closed.cancel();
      if (hasHungUp) throw closedBeforeTable();
      throw error instanceof JobError ? failureError(error.outcome, request, timeoutMs) : error;
    } finally {
      connection.off('hangup', hangUp);
    }
  });
}

/** The memory that a table takes, by the bytes of its body. */
function memoryOf(bodyBytes: number): number {
  return bodyBytes + Math.min(OPEN_TABLE_BYTES, OPEN_TABLE_SHARE * bodyBytes);
}

function sendTable(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Readable,
  { outputType }: TableHead,
  { artefacts }: Generation,
): FastifyReply {
  reply.type(CONTENT_TYPES[outputType] ?? outputType);
  reply.header('model-outcomes', artefacts.manifest.outcomes);
  return sendStream(request, reply, bytes);
}

/** Logs why an answer was cut off, unless its caller has hung up. */
function logFailure(request: FastifyRequest, err: Error, { isCancelled }: Cancellation): void {
  if (!isCancelled) request.log.error({ err }, 'a table was cut off');
}
