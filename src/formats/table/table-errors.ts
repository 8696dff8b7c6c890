import { ApiError } from '../../prediction/errors/api-error.js';
import { shownPath } from '../../prediction/errors/shown-value.js';
import type { TableRequest } from './table-contract.js';

/** The refusal of a body that is no table. @param message what is wrong and what would be right, without a full stop */
export function notATable(message: string, path = ''): ApiError {
  return new ApiError({
    code: 'invalid_request',
    message: `The table is not valid: ${message}.`,
    details: { issues: [{ path: shownPath(path), message }] },
  });
}

/** The refusal of a body for what is in one of its lines, counted from 1. */
export function wrongLine(line: number, message: string): ApiError {
  return notATable(`line ${line} ${message}`, `line ${line}`);
}

/** @throws ApiError batch_too_large */
export function checkRowCount(submitted: number, { rowLimit, tier }: TableRequest): void {
  if (submitted <= rowLimit) return;
  throw new ApiError({
    code: 'batch_too_large',
    message: `The table has ${submitted} rows; the ${tier} tier allows ${rowLimit}.`,
    details: { submitted, tier_limit: rowLimit, tier },
  });
}
