import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createNetServer, type Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../../config.js';
import { ApiError } from '../../formats/errors/api-error.js';
import { shownPath } from '../../formats/errors/shown-value.js';
import { errorHandler } from '../errors.js';
import type { CurrentPhase } from '../phase.js';
import { DEFAULT_HEADERS } from '../response/headers.js';
import { allowOrigins } from './allowed-origins.js';
import { type Connection, connectionOf } from './connection.js';
import type { Connections } from './connections.js';
import { enableGracefulClose } from './graceful-close.js';
import { framingError, MAX_HEADERS, parserError, rejectTunnel } from './malformed-requests.js';
import { requestId } from './request-state.js';

/** Request timeouts without traffic after which a connection is closed: its caller does not read the response. */
const IDLE_FACTOR = 4;

/** Characters of a path parameter: as many as Node accepts in a head. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** How often requests that arrive too slowly are looked for: at longer intervals a thousand would be rejected at once. */
const SLOW_REQUEST_CHECK_MS = 100;

/** How long a connection stays open between requests: longer than a balancer keeps an idle one (Google Cloud: 600 s). */
const KEEP_ALIVE_MS = 620_000;

/**
 * An HTTP server without routes: limits, request ids, and the error body of every failure, those of Node's parser
 * included.
 * @param endpoints says where they are listed, or which they are, to callers of a path that does not exist
 * @param onEnd called for every request when its response is sent or its connection closed
 */
export function createServer(
  config: Config,
  phase: CurrentPhase,
  log: FastifyBaseLogger,
  connections: Connections,
  endpoints: string,
  onEnd: (reply: FastifyReply) => void,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: ({ headers }) => {
      const id = requestId(headers['x-request-id']);
      headers['x-request-id'] = id; // for the rejection of a body, which has no reply
      return id;
    },
    bodyLimit: config.bodyLimitBytes,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    serverFactory: (handle) => listener(handle, connections, config.requestTimeoutMs),
    // Fastify's own response while it closes does not have our error body; the routes reject work themselves.
    return503OnClosing: false,
    forceCloseConnections: false,
    // Fastify answers some targets without hooks, by a route of another path, or with an empty parameter: they get a path
    // without a route.
    rewriteUrl: ({ url = '' }) => (isPlainPath(pathOf(url)) ? url.replace(ORIGIN, '/') : '/%25'),
  });
  enableGracefulClose(app, connections);

  const missingRoute = trackRouteMethods(app, endpoints);
  // No path has the method OPTIONS. Only preflights of existing paths pass, to the hook that answers them.
  const optionsError = (request: FastifyRequest) => {
    if (request.method !== 'OPTIONS') return undefined;
    const error = missingRoute(request);
    const isPreflight = request.headers['access-control-request-method'] !== undefined;
    return isPreflight && error.error.code === 'method_not_allowed' ? undefined : error;
  };
  app.decorateRequest('state');
  app.addHook('onRequest', (request, reply, done) => {
    request.state = {};
    reply.raw.once('close', () => onEnd(reply));
    reply.header('x-request-id', request.id);
    reply.headers(DEFAULT_HEADERS);
    done(framingError(request.raw) ?? optionsError(request));
  });
  allowOrigins(app, config.corsOrigins);
  // After the CORS headers, so that pages of other origins can read the error.
  app.after(() => {
    app.addHook('onRequest', (request, _reply, done) => {
      // Fastify calls its not-found handler only after it has read the body. Allowed preflights were answered before.
      done(request.is404 || request.method === 'OPTIONS' ? missingRoute(request) : undefined);
    });
  });
  // For the rejection of a body that is late or malformed, which has no reply.
  app.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    if (!raw.complete)
      for (const [name, value = ''] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value);
    done();
  });
  app.addHook('onSend', ({ raw, state }, reply, _payload, done) => {
    const connection = connectionOf(raw);
    connection.isAnsweredWithoutKey = state.caller === undefined;
    if (
      phase.current === 'draining' ||
      // If the caller still waits for `100 Continue`, what follows could be the body or the next request.
      connection.isAwaitingContinue ||
      // Node's server would read and drop any number of bytes. Callers with a key may send a body before they read.
      (state.caller === undefined && connection.hasLargeUnreadBody)
    )
      reply.header('connection', 'close');
    done();
  });
  app.setErrorHandler(errorHandler(config.requestTimeoutMs));
  return app;
}

/**
 * A server that wraps its sockets in a Connection and passes them to an HTTP server that does not listen. Connections
 * limit what the HTTP server has to parse, and none is closed with the server. Fastify only calls `listen` and `close`.
 * @param handle handles a request that may be answered: see `Connection.begin`
 */
function listener(handle: RequestListener, connections: Connections, timeoutMs: number): Server {
  // Connections limit the time in which requests arrive. `framingError` rejects a missing Host, with our error body.
  const http = createHttpServer({ requireHostHeader: false, headersTimeout: 0, requestTimeout: 0 });
  http.timeout = IDLE_FACTOR * timeoutMs;
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  // Node silently drops headers beyond this number: one more than the limit is enough to notice. It limits trailers, too.
  http.maxHeadersCount = MAX_HEADERS + 1;
  const ifFirst =
    (isAwaitingContinue: boolean): RequestListener =>
    (request, response) => {
      if (connectionOf(request).begin(response, isAwaitingContinue)) handle(request, response);
    };
  http.on('request', ifFirst(false));
  http.on('checkExpectation', ifFirst(false)); // `framingError` refuses it
  // Handled like other requests: the reader of the body sends `100 Continue`, and a rejected request never gets it.
  http.on('checkContinue', ifFirst(true));
  http.on('connect', (request) => {
    const connection = connectionOf(request);
    if (connection.isIdle) rejectTunnel(request, connection);
    else connection.endAfterResponse();
  });
  http.on('clientError', (error, socket) => (socket as unknown as Connection).reject(parserError(error)));
  // Half-open, since a caller may close its side after the request.
  const server = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
    const connection = connections.open(socket);
    if (connection !== undefined) http.emit('connection', connection);
  });
  const check = setInterval(
    () => connections.rejectLate(performance.now() - timeoutMs),
    SLOW_REQUEST_CHECK_MS,
  );
  server.once('close', () => clearInterval(check));
  return server as Server;
}

/** Scheme and authority of a request target in absolute form, and the slash after them, if there is one. */
const ORIGIN = /^https?:\/\/[^/?#]+\/?/i;

/** Stands for a parameter, which only the last segment of a route may be. */
const PARAMETER = ':';

/**
 * Records the methods of every route registered from now on. Fastify's own lookup compiles the path it is asked for as a
 * route pattern, so that a caller could choose the pattern.
 * @returns a function that makes the error of a request without a route: 404, or 405 where the path has other methods
 */
function trackRouteMethods(app: FastifyInstance, endpoints: string): (request: FastifyRequest) => ApiError {
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url === '*') return; // the route of preflights
    const route = url.replace(/:[^/]*$/, PARAMETER);
    methodsOf.set(route, [...(methodsOf.get(route) ?? []), ...[method].flat()]);
  });
  return ({ method, url, originalUrl }) => {
    const path = pathOf(url);
    const methods = methodsOf.get(path) ?? methodsOf.get(path.replace(/[^/]*$/, PARAMETER));
    if (methods === undefined) {
      const message = `There is nothing at ${shownPath(pathOf(originalUrl))}: ${endpoints}.`;
      return new ApiError({ code: 'not_found', message });
    }
    const allow = methods.toSorted().join(', ');
    const message = `${method} is not a method of ${path}: use ${allow}.`;
    return new ApiError({ code: 'method_not_allowed', message }, { allow });
  };
}

function pathOf(target: string): string {
  return target.replace(ORIGIN, '/').split('?', 1)[0];
}

function isPlainPath(path: string): boolean {
  try {
    return decodeURI(path).startsWith('/') && !/#|.\/$/.test(path);
  } catch {
    return false;
  }
}
