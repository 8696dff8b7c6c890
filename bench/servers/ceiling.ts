import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { serveFork } from './forked.js';

// The upper limit of the HTTP part: the same Fastify parses the same bodies and sends canned responses of the same sizes.
serveFork(async ({ canned }) => {
  const app = Fastify({ bodyLimit: 1024 * 1024 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, JSON.parse(body.toString('utf8')));
  });
  app.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  for (const [path, text] of Object.entries(canned)) {
    const body = Buffer.from(text);
    app.route({
      method: ['GET', 'POST'],
      url: path.split('?')[0]!,
      handler: (_request, reply) => reply.type('application/json; charset=utf-8').send(body),
    });
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
});
