import { Metrics } from '../../../testing/metrics.js';
import { rawRequest, sendRaw } from '../../support/raw-http.js';

/** The metrics of a service as they are now, read on a connection of their own. */
export async function readMetrics(opsUrl: string): Promise<Metrics> {
  const { body } = await sendRaw(opsUrl, rawRequest('GET /metrics HTTP/1.1', []));
  return new Metrics(body);
}
