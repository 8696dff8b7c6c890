import { expect } from 'vitest';
import { ApiError, type ErrorObject } from '../../../../src/formats/errors/api-error.js';
import { type OpenTable, openTable } from '../../../../src/formats/table/open-table.js';
import type { TableChunk, TableRequest, TableState } from '../../../../src/formats/table/table-request.js';
import { ALL_HORIZONS } from '../../../../src/prediction/dimensions.js';
import { openPredictor } from '../../../../src/prediction/open-predictor.js';
import { readPredictorData } from '../../../../testing/project.js';
import { type AnswerRow, readAnswer } from './read-answer.js';

/** The real grid and models. */
export const data = readPredictorData();
export const predictor = await openPredictor(data);

const CHUNK_ROWS = 500;

/** A request for a table as most callers make it. */
export function tableRequest(of: Partial<TableRequest> & Pick<TableRequest, 'format'>): TableRequest {
  return {
    output: of.format,
    horizons: ALL_HORIZONS,
    intervals: false,
    assumed: {},
    limit: { tier: 'hypha', max: 200_000 },
    chunkRows: 2000,
    ...of,
  };
}

/** Checks a body in as many steps as possible, each with another thread's state. */
export function open(body: Uint8Array, request: TableRequest) {
  let state: TableState | undefined;
  let table: OpenTable;
  do {
    table = openTable(body, request, data);
    state = structuredClone(table.check(state, () => true));
  } while (!state.isChecked);
  return { table, state, rowCount: state.rowCount, ...table.ends(state) };
}

/** Why a body is refused as a whole. */
export function refusalOf(body: Uint8Array | string, request: TableRequest): ErrorObject {
  try {
    open(Buffer.from(body), request);
  } catch (error) {
    if (error instanceof ApiError) return error.error;
    throw error;
  }
  return expect.fail('the table was opened');
}

/** Answers a whole table as the service does: its chunks by two threads in turns. */
export async function answerTable(
  body: Uint8Array | string,
  request: TableRequest,
  chunkRows = CHUNK_ROWS,
): Promise<Buffer> {
  const asked = { ...request, chunkRows };
  const { table, state, head, tail } = open(Buffer.from(body), asked);
  const tables = [table, openTable(Buffer.from(body), asked, data)];
  const parts = [head];
  for (const [index, first] of state.chunks.entries()) {
    const { answer } = tables[index % tables.length];
    for (let chunk: TableChunk | undefined = first; chunk !== undefined; ) {
      const { bytes, rest } = await answer(state, chunk, predictor, () => index % 2 === 0);
      parts.push(bytes);
      chunk = rest;
    }
  }
  return Buffer.concat([...parts, tail]);
}

/** The rows of the answer to a table. */
export async function answerRows(
  body: Uint8Array | string,
  of: Partial<TableRequest> & Pick<TableRequest, 'format'>,
  chunkRows = CHUNK_ROWS,
): Promise<AnswerRow[]> {
  const request = tableRequest(of);
  return readAnswer(await answerTable(body, request, chunkRows), request.output);
}
