import { expect } from 'vitest';
import { ApiError, type ErrorObject } from '../../../../src/http/errors/api-error.js';
import type { TableContext, TableRequest } from '../../../../src/http/table/table-contract.js';
import { open } from './answer-table.js';

/** Why a body is refused as a whole. */
export function refusalOf(
  body: Uint8Array | string,
  request: TableRequest,
  context: TableContext,
): ErrorObject {
  try {
    open(Buffer.from(body), request, context);
  } catch (error) {
    if (error instanceof ApiError) return error.error;
    throw error;
  }
  return expect.fail('the table was opened');
}
