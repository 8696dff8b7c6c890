import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

/** Routes that Fastify adds itself: HEAD for each GET, and OPTIONS. */
const ADDED = new Set(['HEAD', 'OPTIONS']);

/** A route as the document writes it: one for all files with hashed names, and parameters in braces. */
function documented({ method, url }: Pick<RouteOptions, 'method' | 'url'>): string[] {
  const name = url
    .replace(/^\/assets\/.+/, '/assets/…')
    .replace(/^\/docs\/.+/, '/docs/…')
    .replaceAll(/:(\w+)/g, '{$1}');
  return [method]
    .flat()
    .filter((each) => !ADDED.has(each))
    .map((each) => `${each} ${name}`);
}

test('docs/security.md lists exactly the routes of both listeners, with who may call them and what bounds the cost', async () => {
  const routes = new Set<string>();
  const onInstance = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', (route) => {
      for (const each of documented(route)) routes.add(each);
    });
  };
  subscribe('fastify.initialization', onInstance);
  const service = await startTestService({ WORKERS: '1' });
  unsubscribe('fastify.initialization', onInstance);
  await service.stop();

  const text = readFileSync(path.join(import.meta.dirname, '../../docs/security.md'), 'utf8');
  const section = text.split('\n## ').find((each) => each.startsWith('Endpoints\n'))!;
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1]).toSorted()).toEqual([...routes].toSorted());
  for (const row of rows)
    expect(
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ).not.toContain('');
});
