import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../../config.js';
import type { ServicePhase } from '../../service/service-phase.js';
import { notFound, sendError, useErrorReplies } from '../errors/error-replies.js';
import { refuseConnection, refuseExpectation, refuseTunnel } from '../errors/parser-errors.js';
import { useLastAnswers } from '../hooks/final-response.js';
import { ANSWER_HEADERS } from '../response/default-headers.js';
import type { Connections } from './connections.js';
import { framingError, MAX_HEADERS } from './framing.js';
import { useDoor } from './graceful-close.js';
import { KnownRoutes } from './known-routes.js';
import { requestId } from './request-id.js';

/** A connection on which nothing moves for so many request timeouts is cut: its caller does not read its answer. */
const IDLE_FACTOR = 4;

/** How often Node looks for requests that arrive too slowly: seldom would mean to refuse a thousand of them in one go. */
const SLOW_REQUEST_CHECK_MS = 100;

/**
 * An HTTP server without routes: limits, request ids, and the one error body for every failure, those of Node's parser
 * included.
 * @param connections bounds those of the server
 * @param onEnd is told of every request when its answer is sent or its connection is gone
 */
export function createServer(
  config: Config,
  phase: ServicePhase,
  log: FastifyBaseLogger,
  connections: Connections,
  onEnd: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: config.requestTimeoutMs,
    connectionTimeout: IDLE_FACTOR * config.requestTimeoutMs,
    // Fastify's own answer while it closes does not have the one error body; the routes refuse work themselves.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: refuseConnection,
    // An address that cannot be decoded; no hook is called for it.
    frameworkErrors: (_error, request, reply) => {
      const error = framingError(request.raw) ?? notFound(request.url);
      sendError(reply.header('x-request-id', request.id), error);
    },
    http: {
      // Refused below, with the one error body.
      requireHostHeader: false,
      headersTimeout: config.requestTimeoutMs,
      connectionsCheckingInterval: SLOW_REQUEST_CHECK_MS,
    },
  });
  // Node drops those beyond a number without a word: one more than are accepted is enough to refuse them, and of trailers,
  // which nobody reads, no more are kept.
  app.server.maxHeadersCount = MAX_HEADERS + 1;
  // Who has said all and closed his side is answered; Node would end the connection under the answer.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  app.server.on('checkExpectation', refuseExpectation);
  app.server.on('connect', refuseTunnel);
  useDoor(app);
  connections.attach(app.server);

  const routes = new KnownRoutes(app);
  app.decorateRequest('state');
  app.addHook('onRequest', (request, reply, done) => {
    request.state = {};
    reply.raw.once('close', () => onEnd(request, reply));
    reply.header('x-request-id', request.id);
    reply.headers(ANSWER_HEADERS);
    // Before a body is looked at: Fastify would call its not-found handler after it.
    const doubt = framingError(request.raw);
    if (doubt !== undefined) done(doubt);
    else if (request.is404) done(routes.refuse(request));
    else done();
  });
  useLastAnswers(app, phase);
  useErrorReplies(app, config.bodyLimitBytes);
  return app;
}
