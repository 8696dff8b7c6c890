import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { createPlainPredictor, type PlainRequest } from '../../testing/oracle/plain-prediction.js';
import { serveFork } from './forked.js';

// The plain implementation: one thread, `geokdbush.around`, one `session.run` per row, objects and JSON.stringify. It is
// the oracle that the tests compare nurselog's answers with.
serveFork(async ({ dataDir, modelDir }) => {
  const predictor = await createPlainPredictor(dataDir, modelDir, 5);
  const app = Fastify({ bodyLimit: 1024 * 1024 });
  app.post<{ Body: { requests: PlainRequest[] } }>('/v1/predict/batch', async ({ body }) => {
    const results = [];
    for (const request of body.requests) {
      const answer = await predictor.predict(request);
      const { latitude, longitude } = request;
      results.push(typeof answer === 'string' ? { error: { code: answer }, latitude, longitude } : answer);
    }
    const failed = results.filter((result) => 'error' in result).length;
    return { results, summary: { total: results.length, successful: results.length - failed, failed } };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
});
