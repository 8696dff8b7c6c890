import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** How the proxy treats a request: forwards it, or fails as networks, balancers and busy services do. */
export const FAULTS = [
  'refused', // the connection is cut before the service sees the request
  'lost', // the service answers, and the connection is cut before the answer
  'cut', // the connection is cut in the middle of the answer
  'busy', // 503 with Retry-After
  'limited', // 429 with Retry-After
  'slow', // 408, as the service answers a body that arrives too slowly
  'gateway', // 502 with a page instead of an error body
] as const;
export type Fault = (typeof FAULTS)[number];

const ERRORS = {
  busy: [503, { error: { code: 'overloaded', message: 'The work queue is full.' } }],
  limited: [429, { error: { code: 'rate_limit_exceeded', message: 'The daily limit is reached.' } }],
  slow: [
    408,
    { error: { code: 'invalid_request', message: 'The request did not arrive in time: send it faster.' } },
  ],
} as const;

/** A real proxy before the service. */
export interface FaultyProxy {
  readonly url: string;
  /** The treatment of the next requests; later ones are forwarded. `silent` never answers. */
  faults: (Fault | 'silent' | 'none')[];
  /** The `Retry-After` of `busy` and `limited`. */
  retryAfter: string;
  /** Requests so far. */
  requests: number;
  /** The maximum number of requests that were forwarded at the same time. */
  mostAtOnce: number;
  /** Bodies of the requests whose answers, with status 200, were sent whole. */
  answered: string[];
  /** Resets all of the above. */
  reset(): void;
  /** Resolves at the next request. */
  nextRequest(): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startFaultyProxy(serviceUrl: string): Promise<FaultyProxy> {
  let forwarding = 0;
  const server = createServer(async (request, response) => {
    proxy.requests++;
    const fault = proxy.faults.shift() ?? 'none';
    const body = await buffer(request);
    if (fault === 'silent') return;
    if (fault === 'refused') return void response.destroy();
    if (fault === 'gateway') return void response.writeHead(502).end('<h1>Bad gateway</h1>');
    if (fault === 'busy' || fault === 'limited' || fault === 'slow') {
      const [status, error] = ERRORS[fault];
      return sendJson(response, status, JSON.stringify(error), {
        ...(fault !== 'slow' && { 'retry-after': proxy.retryAfter }),
      });
    }
    proxy.mostAtOnce = Math.max(proxy.mostAtOnce, ++forwarding);
    const { status, headers, text } = await forward(serviceUrl + request.url, {
      method: request.method!,
      headers: { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' },
      ...(request.method === 'POST' && { body }),
    });
    forwarding--;
    if (fault === 'lost') return void response.destroy();
    if (fault === 'cut') {
      response.writeHead(status, { 'content-length': Buffer.byteLength(text) });
      return response.write(text.slice(0, text.length / 2), () => response.destroy());
    }
    if (status === 200) proxy.answered.push(body.toString());
    sendJson(response, status, text, { 'x-request-id': headers.get('x-request-id')! });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy: FaultyProxy = {
    ...untouched(),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reset: () => void Object.assign(proxy, untouched()),
    nextRequest: () => once(server, 'request'),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

const untouched = () => ({ faults: [], retryAfter: '0', requests: 0, mostAtOnce: 0, answered: [] });

async function forward(url: string, init: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function sendJson(response: ServerResponse, status: number, text: string, headers: Record<string, string>) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
