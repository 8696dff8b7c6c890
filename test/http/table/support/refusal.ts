import { expect } from 'vitest';
import type { TableRequest } from '../../../../src/formats/table/table-request.js';
import { ApiError, type ErrorObject } from '../../../../src/prediction/errors/api-error.js';
import type { GenerationData } from '../../../../src/work/serving/per-generation.js';
import { open } from './answer-table.js';

/** Why a body is refused as a whole. */
export function refusalOf(
  body: Uint8Array | string,
  request: TableRequest,
  context: GenerationData,
): ErrorObject {
  try {
    open(Buffer.from(body), request, context);
  } catch (error) {
    if (error instanceof ApiError) return error.error;
    throw error;
  }
  return expect.fail('the table was opened');
}
