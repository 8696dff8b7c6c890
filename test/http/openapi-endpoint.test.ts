import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type OpenApiDocument, openApiDocument } from '../../src/http/openapi/document.js';
import { readArtefacts } from '../../src/prediction/artefacts/artefacts.js';
import { dataDir, modelDir } from '../../testing/project.js';

const CSV = 'text/csv';
const table = z.string().meta({ id: 'TestTable', description: 'Lines.' });
const row = z.object({ cell: z.number() }).meta({ id: 'TestRow' });

let document: OpenApiDocument;
beforeAll(() => {
  const common = { summary: 'Test.', response: { 'application/json': row, [CSV]: table } };
  const endpoints = [
    {
      ...common,
      path: '/tables/{name}',
      id: 'readTable',
      pathParameters: () => z.object({ name: z.string().describe('Its name.') }),
      query: () => z.object({ columns: z.array(z.string()).optional(), first: z.int() }),
      headers: ['ETag'] as const,
    },
    { ...common, path: '/tables', id: 'sendTable', request: () => ({ [CSV]: table }) },
  ];
  document = openApiDocument(endpoints, { bodyLimitBytes: 1 }, readArtefacts(dataDir, modelDir));
});

test('an endpoint with parameters and several media types is valid OpenAPI 3.1', async () => {
  const { errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
});

test('parameters say where they stand, whether they are required, and that commas separate elements', () => {
  expect(document.paths['/tables/{name}'].get.parameters).toEqual([
    { name: 'name', in: 'path', required: true, description: 'Its name.', schema: { type: 'string' } },
    {
      name: 'columns',
      in: 'query',
      required: false,
      schema: { type: 'array', items: { type: 'string' } },
      style: 'form',
      explode: false,
    },
    expect.objectContaining({ name: 'first', in: 'query', required: true }),
  ]);
});

test('requests and responses list each media type with its named schema', () => {
  const named = (id: string) => ({ schema: { $ref: `#/components/schemas/${id}` } });
  const { requestBody, responses } = document.paths['/tables'].post;
  expect(requestBody!.content).toEqual({ [CSV]: named('TestTable') });
  expect(responses[200]).toHaveProperty('content', {
    'application/json': named('TestRow'),
    [CSV]: named('TestTable'),
  });
  expect(document.components.schemas).toHaveProperty('TestTable.description', 'Lines.');
});

test('only an endpoint whose answer has an ETag answers 304, without a body', () => {
  const { responses } = document.paths['/tables/{name}'].get;
  expect(responses[200]).toHaveProperty('headers.ETag');
  expect(responses[304]).toHaveProperty('headers.ETag');
  expect(responses[304]).not.toHaveProperty('content');
  expect(document.paths['/tables'].post.responses).not.toHaveProperty('304');
});
