import { expect } from 'vitest';
import { Connection } from '../../../testing/load/connection.js';

const HEALTH = Buffer.from('GET /v1/health HTTP/1.1\r\nHost: test\r\n\r\n');

/** Asks for the health on a new connection. @returns the time to the answer, in ms */
export async function askHealth(port: number): Promise<number> {
  const startMs = performance.now();
  const connection = await Connection.open(port);
  expect(await connection.send(HEALTH)).toBe(200);
  connection.close();
  return performance.now() - startMs;
}
