import { DatabaseError } from 'pg';

/**
 * Classes of SQLSTATE that speak of the server, its load or its rights, not of the statement: connection exception,
 * transaction rollback, read-only transaction, missing role or database, insufficient resources, lock not available,
 * operator intervention (statement timeouts, too), system error.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE = /^(08|25006|28|3D|40|53|55P03|57|58)/;

/** Whether an error of pg means that the database cannot do its work now. Errors without SQLSTATE are the connection's. */
export function isUnavailable(error: unknown): error is Error {
  return !(error instanceof DatabaseError) || UNAVAILABLE.test(error.code ?? '');
}
